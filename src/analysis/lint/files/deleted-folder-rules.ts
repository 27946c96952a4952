// The rule about temporary folders that a script deletes when it ends, although its tag sends the next state there.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, plainText, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';

/** A tag with an attribute that is a path in a variable, or below it. */
function passingOf(name: string): RegExp {
  return new RegExp(
    String.raw`<(?:goto|reset|call|function|fork)\b[^<>\n]*?\s(cd|input|[a-z]\w*)=\\?["'](?:\$\{?|\$?\{)${name}\}?(?:/[^"'\\\n]*)?\\?["']`,
    'g',
  );
}

function* deletedFolders(state: ScriptState): Generator<Mistake> {
  const code = plainText(state);
  const isPython = executorOf(state.file) === 'python';
  for (const { name, end } of isPython ? contextFolders(code) : trappedFolders(code))
    for (const match of code.matchAll(passingOf(name))) {
      // Within the block, the tag is printed before the folder is deleted, but the next state runs later.
      if (isPython && match.index < end) continue;
      yield {
        at: match.index + match[0].lastIndexOf(`${match[1] ?? ''}=`),
        message: `the folder in ${name} is deleted before the next state runs, so that state does not find it`,
        fix: 'use a folder that stays, such as one in the task folder (RAYMOND_TASK_FOLDER)',
      };
    }
}

interface Folder {
  readonly name: string;
  /** Only tags below this offset count. */
  readonly end: number;
}

/** `dir=$(mktemp -d)` with `trap 'rm -rf "$dir"' EXIT`. */
function* trappedFolders(code: string): Generator<Folder> {
  for (const { index, 1: name = '' } of code.matchAll(
    /^[ \t]*trap[ \t]+["'][^\n]*\brm\b[^\n]*\$\{?(\w+)\}?[^\n]*["'][ \t]+[^\n]*\bEXIT\b/gm,
  ))
    if (new RegExp(`(?<![\\w$])${name}=["']?\\$\\(mktemp\\b`).test(code)) yield { name, end: index };
}

/** `with tempfile.TemporaryDirectory() as folder:`, which deletes the folder at the end of its block and of the program. */
function* contextFolders(code: string): Generator<Folder> {
  for (const { index, 1: name = '' } of code.matchAll(
    /^[ \t]*with[ \t]+(?:tempfile\.)?TemporaryDirectory\([^()\n]*\)[ \t]+as[ \t]+(\w+)[ \t]*:/gm,
  ))
    yield { name, end: index };
}

/** The rule about folders that are deleted too early. */
export const DELETED_FOLDER_RULES: readonly Rule[] = [
  {
    id: 'deleted-folder',
    severity: 'warning',
    summary: 'A script passes a temporary folder to the next state, but deletes the folder when the script ends.',
    why: 'The next state runs after the script has ended. A trap for EXIT and TemporaryDirectory of Python have then deleted the folder, so a cd fails and files are missing.',
    check: (analysis) => mistakesOf(analysis, deletedFolders),
  },
];
