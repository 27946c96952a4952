// A path as the rules about files follow it: `{NAME}` is an environment variable or an attribute, `*` a wildcard, `UNKNOWN` a part that only
// a run knows.

/** A part of a path that only a run knows. */
export const UNKNOWN = '…';

/** What a state does with a path. */
export interface PathUse {
  readonly path: string;
  /** `unknown`: another program gets the path. */
  readonly kind: 'read' | 'list' | 'write' | 'test' | 'unknown';
  /** The offset in the text of the state. */
  readonly at: number;
  /** The offset at which the path is put together, if it is in a variable. */
  readonly madeAt?: number;
}

/** The folder of an agent's task, as a path begins with it. */
export const TASK_FOLDER = '{RAYMOND_TASK_FOLDER}';

/** The id of a question, as a part of a path. */
export const ASK_ID = '{RAYMOND_ASK_ID}';

/** Joins the parts of a path; one that is absolute replaces those before it. */
export function joinedPath(parts: readonly string[]): string {
  let path = '';
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    const isAbsolute = part.startsWith('/') || part.startsWith('{RAYMOND_TASK') || part.startsWith('{RAYMOND_STATE');
    path = path === '' || isAbsolute ? part : `${path.replace(/\/$/, '')}/${part}`;
  }
  return path;
}

/** A path without `.` and double slashes. */
export function normalPath(path: string): string {
  const plain = path.replace(/\/{2,}/g, '/').replace(/(?<![^/])\.\//g, '');
  return plain === '.' || plain === './' ? '' : plain.replace(/(?<=.)\/$/, '');
}

/** True for a path that begins in the working directory with something that is known, or with an attribute. */
export function isRelativePath(path: string): boolean {
  return /^(?![/~…])(?!\.\.)(?!\{RAYMOND_|\{[A-Z_]+\})/.test(path) && !/[\s<>"'`|;]/.test(path);
}

/** A path with `*` in the place of its variables. */
export function patternOf(path: string): string {
  return path.replace(/\{\w+\}|…/g, '*').replace(/\*{2,}/g, '*');
}

/** The part of a path before its last slash. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The part of a path behind its last slash. */
export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The extension of a path, with its dot. */
export function extensionOf(path: string): string {
  return path.slice(path.lastIndexOf('.'));
}

/** A path with an extension, of names without variables. */
export const NAMED_FILE = /^(?:[\w-]+\/)*[\w.-]+\.[A-Za-z]\w*$/;

/** The part of a path below the task folder; undefined if it is not there. */
export function inTaskFolder(path: string): string | undefined {
  if (path === TASK_FOLDER) return '';
  return path.startsWith(`${TASK_FOLDER}/`) ? path.slice(TASK_FOLDER.length + 1) : undefined;
}

/** True if two paths, of which each may have parts that are not known, may be the same. */
export function mayBeSamePath(one: string, other: string): boolean {
  const [pattern, second] = [patternOf(one), patternOf(other)];
  if (!pattern.includes('*') && !second.includes('*')) return pattern === second;
  if (pattern.split('/').length !== second.split('/').length) return false;
  const [start = '', otherStart = ''] = [pattern, second].map((path) => path.split(/[*[?]/, 1)[0]);
  const [end = '', otherEnd = ''] = [pattern, second].map((path) => path.split(/[*\]?]/).at(-1));
  const startsAlike = start.startsWith(otherStart) || otherStart.startsWith(start);
  return startsAlike && (end.endsWith(otherEnd) || otherEnd.endsWith(end));
}
