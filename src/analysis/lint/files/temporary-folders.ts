// Finds folders and files in /tmp, also with computed names, whose paths a state in a sandbox passes to another state.
import type { StateNode } from '../../graph.js';
import { plainText, scriptsOf, type ScriptState } from '../helpers.js';
import type { Analysis } from '../rule.js';

/** A path in /tmp that a state passes on. */
interface PassedPath {
  readonly writer: ScriptState;
  readonly reader: StateNode;
  /** The name of the variable that has the path. */
  readonly name: string;
  readonly at: number;
}

const TEMPORARY = String.raw`["']?\/tmp\/[^\n]*|["']?\$\(mktemp\b(?![^\n)]*(?:-p|--tmpdir=|TASK_FOLDER|\.\/))[^\n]*\)["']?|(?:tempfile\.)?mkdtemp\((?![^\n]*\bdir=)[^\n]*|(?:pathlib\.)?Path\((?:f?["']\/tmp\/|(?:tempfile\.)?(?:mkdtemp|gettempdir)\()[^\n]*|f["'\`]\/tmp\/[^\n]*|\`\/tmp\/[^\n]*|(?:fs\.)?mkdtempSync\([^\n]*(?:tmpdir\(\)|["'\`]\/tmp)[^\n]*|(?:(?:os\.)?path\.)?join\(\s*(?:["']\/tmp|(?:os\.)?tmpdir\(\)|tempfile\.gettempdir\(\))[^\n]*`;

/** The paths in /tmp that scripts pass as attributes to states that read them. */
export function* temporaryPathsPassed(analysis: Analysis): Generator<PassedPath> {
  for (const writer of scriptsOf(analysis)) {
    const code = plainText(writer);
    if (!/\/tmp\b|mktemp|mkdtemp|tmpdir|gettempdir/.test(code)) continue;
    const assigned = new RegExp(
      `^[ \\t]*(?:(?:const|let|var|local|readonly)[ \\t]+)?(\\w+)(?:[ \\t]*:[ \\t]*\\w+)?[ \\t]*=[ \\t]*(?:${TEMPORARY})`,
      'gm',
    );
    for (const match of code.matchAll(assigned)) {
      const [whole, name = ''] = match;
      const reader = readerOf(analysis, { writer, code, name });
      if (reader !== undefined) yield { writer, reader, name, at: match.index + whole.search(/\S/) };
    }
  }
}

/** The state that gets the path in a variable, and reads what is there. */
function readerOf(
  { graph }: Analysis,
  { writer, code, name }: { readonly writer: ScriptState; readonly code: string; readonly name: string },
): StateNode | undefined {
  if (
    (code.match(new RegExp(`(?<![\\w.$])${name}[ \\t]*=(?!=)(?!\\\\?["']?\\$?\\{?${name}\\b)`, 'g'))?.length ?? 0) > 1
  )
    return undefined;
  for (const { to, role, mention } of writer.edges) {
    const reader = role === 'target' && to.kind === 'state' ? graph.states.get(to.file) : undefined;
    if (reader === undefined || reader === writer) continue;
    for (const attribute of mention.attributes.keys()) {
      const passed = new RegExp(`[\\s'"]${attribute}=\\\\?["'](?:\\$\\{?|\\{)?${name}\\}?\\\\?["']`);
      if (passed.test(code) && readsBelow(reader, attribute === 'input' ? 'RAYMOND_INPUT' : attribute)) return reader;
    }
  }
  return undefined;
}

/** True for a script that reads the file or the folder whose path a variable has, and that does not create it. */
function readsBelow(reader: StateNode, name: string): boolean {
  if (reader.source.kind !== 'script') return false;
  const text = plainText(reader);
  const variable = `\\$\\{?${name}\\b`;
  const value = `(?:environ(?:\\.get)?[[(]["']${name}["']\\s*[\\])]|process\\.env\\.${name}\\b)`;
  if (new RegExp(`\\b(?:mkdir|makedirs)\\w*\\b[^\\n]*\\b${name}\\b|>\\s*["']?${variable}`).test(text)) return false;
  const shell = `(?:^|[\\s;&|(])(?:cat|ls|find|tar|zip|cp|mv|grep|wc|sort|jq|head|tail|sed|awk|rsync|cd|du|diff|source|python3?|node)\\s[^\\n|;]*${variable}|<\\s*["']?${variable}|\\bin\\s+["']?${variable}`;
  const aliases = [...text.matchAll(new RegExp(`^[ \\t]*(?:const[ \\t]+)?(\\w+)[ \\t]*=[^=\\n]*${value}`, 'gm'))];
  const any = `(?:${[value, ...aliases.map(([, one = '']) => `\\b${one}\\b`)].join('|')})`;
  const program = `(?:\\bopen|readFileSync|readFile|readdirSync|readdir|listdir|scandir|make_archive|copytree|copy\\w*|cpSync)\\([^\\n]*${any}|${any}\\)?\\.(?:read_\\w+|open|iterdir|r?glob)\\(`;
  return new RegExp(reader.source.script.shell === undefined ? program : shell, 'm').test(text);
}
