// A config of the original Raymond: its keys under our names, and notes on those that have no effect here.
import { defined } from '../../protocol/text.js';

type Table = Readonly<Record<string, unknown>>;

/** A key without effect, and what to do instead. */
interface OriginalKey {
  readonly key: string;
  readonly note: string;
}

/** What a config of the original means here. */
interface Understood {
  readonly keys: unknown;
  readonly notes: readonly OriginalKey[];
  /** How a key is written that stands for one of ours. */
  readonly writtenAs: (key: string) => string;
}

/** What to use instead of its keys. */
const INSTEAD: Readonly<Record<string, string>> = {
  name: 'the title of the terminal cannot be set; --id names a run',
};

/** Its keys of `[raymond.serve]` by ours. */
const SERVE_KEYS: Readonly<Record<string, string>> = {
  root: 'workflow_folders',
  port: 'serve_port',
  workdir: 'serve_cwd',
  max_file_size: 'upload_file_size',
  max_total_size: 'upload_total_size',
  max_file_count: 'upload_file_count',
};

/** The key of the original by the one that it stands for. */
const WRITTEN_AS = new Map(
  Object.entries({ ...SERVE_KEYS, task_folder_pattern: 'task_folder' }).map(([theirs, ours]) => [ours, theirs]),
);

/** The table `[raymond]` with the keys of the original under our names. */
export function fromOriginal(table: unknown): Understood {
  if (!isTable(table)) return { keys: table, notes: [], writtenAs: (key) => key };
  const { task_folder_pattern: pattern, serve, name, ...own } = table;
  const served = Object.entries(isTable(serve) ? serve : {});
  const known = served.filter(([key]) => Object.hasOwn(SERVE_KEYS, key));
  const strange = served.filter(([key]) => !Object.hasOwn(SERVE_KEYS, key)).map(([key]) => key);
  const theirs = {
    ...defined({ task_folder: pattern }),
    ...Object.fromEntries(
      known
        .filter(isSet)
        .map(([key, value]): [string, unknown] => [SERVE_KEYS[key] ?? key, key === 'root' ? [value].flat() : value]),
    ),
    ...(serve === undefined || isTable(serve) ? {} : { serve }),
  };
  const notes = [...strange, ...(name === undefined ? [] : ['name'])].map((key) => ({
    key,
    note: `${key} has no effect: ${INSTEAD[key] ?? 'no key of this name is known'}`,
  }));
  const writtenAs = (key: string): string => (Object.hasOwn(own, key) ? key : (WRITTEN_AS.get(key) ?? key));
  return { keys: { ...theirs, ...own }, notes, writtenAs };
}

/** In the original an empty text and a 0 mean that a key is not set. */
function isSet([, value]: readonly [string, unknown]): boolean {
  return value !== '' && value !== 0;
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
