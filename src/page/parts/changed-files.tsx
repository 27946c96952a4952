// The files that agents changed by their tools, as conversations record it: of one turn, and of two runs side by side.
// What commands changed is not recorded.
import type { JSX } from 'preact';
import { Fold, Table } from './bits.js';
import { changesOf, Diff, linesOf, type Change } from './tool-call.js';
import type { Transcript } from '../../serve/types.js';

/** The changes of each file, in their order. */
export type ChangedFiles = ReadonlyMap<string, readonly Change[]>;

/** The changes by the calls that succeeded. */
export function changedFiles(entries: Transcript['entries']): ChangedFiles {
  const files = new Map<string, readonly Change[]>();
  for (const entry of entries) {
    if (entry.by !== 'tool' || entry.isError === true) continue;
    const { file_path: path = entry.input['path'] } = entry.input;
    const changes = changesOf(entry.input);
    if (typeof path === 'string' && changes.length > 0) files.set(path, [...(files.get(path) ?? []), ...changes]);
  }
  return files;
}

/** The files that a turn changed. */
export function FilesOfTurn({ files }: { readonly files: ChangedFiles }): JSX.Element | null {
  if (files.size === 0) return null;
  return (
    <section class="card" aria-labelledby="changed-files">
      <h2 id="changed-files">Files changed by tools</h2>
      {[...files].map(([path, changes]) => (
        <Fold key={path} title={`${path} ${sizeOf(changes)}`}>
          {() => <Changes path={path} changes={changes} />}
        </Fold>
      ))}
    </section>
  );
}

/** The files that two runs changed. */
export function ComparedFiles({
  left,
  right,
}: {
  readonly left: ChangedFiles;
  readonly right: ChangedFiles;
}): JSX.Element {
  const paths = [...new Set([...left.keys(), ...right.keys()])].sort();
  if (paths.length === 0) return <p class="muted">No tool of an agent changed a file.</p>;
  return (
    <Table of="Files changed by tools" look="compared" columns={['File', 'Left', 'Right']}>
      {paths.map((path) => {
        const [one, other] = [left.get(path) ?? [], right.get(path) ?? []];
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        return (
          <tr key={path} class={isSame ? '' : 'differs'}>
            <th scope="row">
              {path}
              {!isSame && <span class="unseen"> (differs)</span>}
            </th>
            {[one, other].map((changes, index) => (
              <td key={index}>
                {changes.length === 0 ? (
                  'not changed'
                ) : (
                  <Fold title={sizeOf(changes)}>{() => <Changes path={path} changes={changes} />}</Fold>
                )}
              </td>
            ))}
          </tr>
        );
      })}
    </Table>
  );
}

function Changes({ path, changes }: { readonly path: string; readonly changes: readonly Change[] }): JSX.Element {
  return (
    <>
      {changes.map((change, index) => (
        <Diff key={index} change={change} label={`Change ${index + 1} of ${path}`} />
      ))}
    </>
  );
}

/** `+3 −1`: the lines that were added and removed. */
function sizeOf(changes: readonly Change[]): string {
  const signs = changes.flatMap(({ before, after }) => linesOf(before, after).map(({ sign }) => sign));
  const [added, removed] = ['+', '-'].map((one) => signs.filter((sign) => sign === one).length);
  return `+${added} −${removed}`;
}
