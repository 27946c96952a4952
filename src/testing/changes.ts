// Waits for a change of a workflow or its tests. Files that editors and the runs themselves write there do not count.
import { watch } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';

/** Files that are saved together are one change. */
const TOGETHER_MS = 200;

const PASSED_OVER = /(?:^|[/\\])(?:\.git|\.raymond|node_modules)(?:[/\\]|$)|~$|^\.#|\.sw[px]$/;

/** Resolves with the paths that changed below `folders`; with nothing when `signal` fires first. */
export function nextChange(folders: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  const watchers = outermost(folders).map((folder) => ({ folder, watcher: watch(folder, { recursive: true }) }));
  return new Promise((done) => {
    let timer: NodeJS.Timeout | undefined;
    const end = (): void => {
      clearTimeout(timer);
      for (const { watcher } of watchers) watcher.close();
      signal.removeEventListener('abort', end);
      done(changed);
    };
    for (const { folder, watcher } of watchers) {
      watcher.on('change', (_kind, name) => {
        if (typeof name !== 'string' || PASSED_OVER.test(name) || PASSED_OVER.test(basename(name))) return;
        changed.add(resolve(folder, name));
        clearTimeout(timer);
        timer = setTimeout(end, TOGETHER_MS);
      });
      watcher.on('error', end); // The folder was removed: the next read reports that.
    }
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

function outermost(folders: readonly string[]): readonly string[] {
  const all = [...new Set(folders)];
  return all.filter((folder) => !all.some((other) => other !== folder && folder.startsWith(`${other}${sep}`)));
}

/** True when a change concerns a test file, or the workflow under test. */
export function concerns(
  changed: ReadonlySet<string>,
  { file, workflow }: { readonly file: string; readonly workflow: string },
): boolean {
  return [...changed].some(
    (path) =>
      path === file ||
      path === workflow ||
      path.startsWith(`${workflow}${sep}`) ||
      (dirname(path) === dirname(workflow) && workflow.endsWith('.md')),
  );
}
