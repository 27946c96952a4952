// A config of the original Raymond: its keys under our names, and notes on those that have no effect here.

type Table = Readonly<Record<string, unknown>>;

/** A key without effect, and what to do instead. */
interface OriginalKey {
  readonly key: string;
  readonly note: string;
}

/** What to use instead of its keys. */
const INSTEAD: Readonly<Record<string, string>> = {
  port: 'give the port with "raymond serve --port"',
  workdir: 'give runs their folder with --cwd, or working_directory in the manifest',
  max_file_size: 'set upload_max_size in the <ask> that takes the files',
  max_total_size: 'set upload_max_total_size in the <ask> that takes the files',
  max_file_count: 'set upload_max_count in the <ask> that takes the files',
  name: 'the title of the terminal cannot be set; --id names a run',
};

/** The table `[raymond]` with the keys of the original under our names. */
export function fromOriginal(table: Table): { readonly keys: Table; readonly notes: readonly OriginalKey[] } {
  const { task_folder_pattern: pattern, serve, name, ...own } = table;
  const { root, ...others } = isTable(serve) ? serve : {};
  const unused = [...Object.keys(others), ...(name === undefined ? [] : ['name'])];
  const keys = {
    ...(pattern === undefined ? {} : { task_folder: pattern }),
    ...(typeof root === 'string' ? { workflow_folders: [root] } : {}),
    ...(serve === undefined || isTable(serve) ? {} : { serve }),
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
