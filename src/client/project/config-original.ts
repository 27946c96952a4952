// A config of the original Raymond: its keys under our names, and notes on those that have no effect here.

type Table = Readonly<Record<string, unknown>>;

/** A key without effect, and what to do instead. */
interface OriginalKey {
  readonly key: string;
  readonly note: string;
}

/** What to use instead of its keys. */
const INSTEAD: Readonly<Record<string, string>> = {
  name: 'the title of the terminal cannot be set; --id names a run',
};

/** Its keys of `[raymond.serve]` by ours. */
const SERVE_KEYS: Readonly<Record<string, string>> = {
  port: 'serve_port',
  workdir: 'serve_cwd',
  max_file_size: 'upload_file_size',
  max_total_size: 'upload_total_size',
  max_file_count: 'upload_file_count',
};

/** The table `[raymond]` with the keys of the original under our names. */
export function fromOriginal(table: Table): { readonly keys: Table; readonly notes: readonly OriginalKey[] } {
  const { task_folder_pattern: pattern, serve, name, ...own } = table;
  const { root, ...others } = isTable(serve) ? serve : {};
  const served = Object.entries(others).filter(([key]) => Object.hasOwn(SERVE_KEYS, key));
  const strange = Object.keys(others).filter((key) => !Object.hasOwn(SERVE_KEYS, key));
  const unused = [...strange, ...(name === undefined ? [] : ['name'])];
  const keys = {
    ...(pattern === undefined ? {} : { task_folder: pattern }),
    ...(typeof root === 'string' ? { workflow_folders: [root] } : {}),
    ...(serve === undefined || isTable(serve) ? {} : { serve }),
    ...Object.fromEntries(served.map(([key, value]) => [SERVE_KEYS[key] ?? key, value])),
    ...own,
  };
  const notes = unused.map((key) => ({
    key,
    note: `${key} has no effect: ${INSTEAD[key] ?? 'no key of this name is known'}`,
  }));
  return { keys, notes };
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
