// Writes the text of a YAML package from the files of a folder: the manifest first, then the states, each with its
// frontmatter lines and its text below them. to-yaml.ts checks that the text means what the files mean.
import { YAMLParseError, parse } from 'yaml';
import { policyNames } from '../../protocol/language/policy.js';
import { literalTargets, resolveEntry } from '../../protocol/language/resolve.js';
import { parseFrontmatter } from '../frontmatter.js';
import { MANIFEST_FILE } from '../manifest.js';
import { isProgram, type PackageFiles } from './files.js';
import { EXECUTABLE_KEY } from './yaml-regions.js';

/** The files of one state by their key in YAML: `prompt`, or kinds of scripts. */
export type Bodies = ReadonlyMap<string, { readonly name: string; readonly text: string }>;

/** A package whose files were read as states. */
export interface StatesOfFiles {
  readonly files: PackageFiles;
  readonly states: ReadonlyMap<string, Bodies>;
}

/** A state and its extension in a name. */
export const STATE_FILE = /^(.+)\.(md|sh|ps1|bat|py|js|ts)$/s;

/** The text. */
export function yamlText({ files, states }: StatesOfFiles): string {
  const manifest = files.get(MANIFEST_FILE)?.content.toString() ?? '';
  const programs = [...files].filter(([, { executable }]) => executable).map(([name]) => name);
  const isUsual = [...files].every(([name, { content, executable }]) => executable === isProgram(name, content));
  return [
    manifest === '' || manifest.endsWith('\n') ? manifest : `${manifest}\n`,
    isUsual ? '' : `${EXECUTABLE_KEY}: ${JSON.stringify(programs)}\n`,
    'states:\n',
    ...inOrder({ files, states }).map((stem) => stateText(stem, states.get(stem) ?? new Map())),
  ].join('');
}

/** The entry first, then states in the order in which they name each other; states that nothing names come last. */
function inOrder({ files, states }: StatesOfFiles): readonly string[] {
  const entry = resolveEntry({ files: [...files.keys()], platform: 'unix' });
  const open = entry.kind === 'state' ? [stemOf(entry.file)] : [];
  const order = new Set<string>();
  for (let stem = open.shift(); stem !== undefined; stem = open.shift()) {
    if (order.has(stem) || !states.has(stem)) continue;
    order.add(stem);
    for (const { name, text } of states.get(stem)?.values() ?? []) open.push(...namedIn(name, text));
  }
  return [...order, ...[...states.keys()].filter((stem) => !order.has(stem))];
}

function namedIn(name: string, text: string): readonly string[] {
  const read = name.endsWith('.md') ? parseFrontmatter(text, String) : undefined;
  const allowed = read?.kind === 'prompt' ? policyNames(read.policy) : [];
  return [...allowed, ...literalTargets(text)].map(stemOf);
}

function stemOf(name: string): string {
  return STATE_FILE.exec(name)?.[1] ?? name;
}

function stateText(stem: string, bodies: Bodies): string {
  const fields = [...bodies].map(([key, { text }]) => {
    const { head, body } = key === 'prompt' ? headOf(text) : { head: '', body: text };
    return `${indented(head, 4)}    ${key}: ${scalarOf(body)}`;
  });
  return `  ${keyOf(stem)}:\n${fields.join('')}`;
}

/** The frontmatter of a prompt with its original line endings, and its body. */
function headOf(text: string): { readonly head: string; readonly body: string } {
  const [all, head = ''] = /^---[ \t]*\r?\n((?:.*\r?\n)*?)---[ \t]*\r?\n/.exec(text) ?? [];
  return all === undefined ? { head: '', body: text } : { head, body: text.slice(all.length) };
}

function indented(text: string, by: number): string {
  return text.replaceAll(/^(?=[^\r\n])/gm, ' '.repeat(by));
}

/** Text that a block scalar can hold: no control characters, no other line endings, no byte order mark. */
const PRINTABLE = /^[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u;

/** A text as a block scalar if YAML gives it back unchanged, else in quotes. */
function scalarOf(text: string): string {
  const sign = /^\n* /.test(text) ? '2' : '';
  const end = text.endsWith('\n') ? (text.endsWith('\n\n') ? '+' : '') : '-';
  const block = `|${sign}${end}\n${indented(text, 6)}${text.endsWith('\n') ? '' : '\n'}`;
  return PRINTABLE.test(text) && isReadFrom(block, text) ? block : `${JSON.stringify(text)}\n`;
}

function isReadFrom(block: string, text: string): boolean {
  try {
    const read = parse(`A:\n  B:\n    C: ${block}  D: x\n`, { schema: 'failsafe' }) as { A: { B: { C: unknown } } };
    return read.A.B.C === text;
  } catch (error) {
    if (error instanceof YAMLParseError) return false;
    throw error;
  }
}

function keyOf(stem: string): string {
  return /^\w[\w-]*$/.test(stem) ? stem : JSON.stringify(stem);
}
