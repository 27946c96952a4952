// The texts of states as files of a folder: a prompt below its frontmatter, a script below its header. Each text is
// read back as a folder would read it; a text that changes on the way is undefined, and the caller reports it.
import { stringify } from 'yaml';
import { lostFrontmatter, readScriptHeader, splitPrompt } from '../../protocol/language/state-file.js';
import { ScopeError } from '../error.js';
import { parseFrontmatter, type PolicyRead } from '../frontmatter.js';
import type { PackedFile } from '../packed.js';
import { YamlText } from '../yaml-document.js';
import type { YamlEntry } from '../yaml-parse.js';
import { BODY_KEYS } from '../yaml.js';
import type { StateRegion } from './yaml-regions.js';

/** A state of a YAML file, and the reader of that file. */
interface StateSource {
  readonly region: StateRegion;
  readonly yaml: YamlText;
}

/**
 * The file of a prompt: its comments, then its keys as they were written if that keeps their meaning, else as they were
 * understood.
 */
export function promptText({ region, yaml }: StateSource, { content, policy }: PackedFile): string | undefined {
  const keys = region.entries.filter(({ key }) => !BODY_KEYS.includes(key));
  const { lines = '' } = region;
  const head = saysTheSame(lines, { yaml, keys }) ? lines : rewritten(region, { yaml, keys });
  const body = content.toString();
  const text = `${/\S/.test(head) || looksFenced(body) ? fenced(head) : ''}${body}`;
  return isSamePrompt(text, { body, policy }) ? text : undefined;
}

interface Keys {
  readonly yaml: YamlText;
  readonly keys: readonly YamlEntry[];
}

/** True for lines that give the same keys and values when read alone. */
function saysTheSame(lines: string, { yaml, keys }: Keys): boolean {
  try {
    const alone = new YamlText(lines, { positionText: String });
    return isEqual(plainOf(alone, alone.isEmpty ? [] : alone.top()), plainOf(yaml, keys));
  } catch (error) {
    if (error instanceof ScopeError) return false;
    throw error;
  }
}

function plainOf(yaml: YamlText, keys: readonly YamlEntry[]): unknown {
  return keys.map(({ key, value }) => [key, yaml.isNothing(value), yaml.plain(value)]);
}

/** All values are text, because our reader takes them so. */
const STYLE = { schema: 'failsafe', lineWidth: 0 } as const;

function rewritten({ comments }: StateRegion, { yaml, keys }: Keys): string {
  const lines = keys.map(({ key, value }) =>
    yaml.isNothing(value) ? `${stringify(key, STYLE).trimEnd()}:\n` : stringify({ [key]: yaml.plain(value) }, STYLE),
  );
  return [...comments.map(({ text }) => `${text}\n`), ...lines].join('');
}

/** The fences use the line ending of all lines between them. */
function fenced(head: string): string {
  const end = head !== '' && !/(?<!\r)\n/.test(head) ? '\r\n' : '\n';
  return `---${end}${head}---${end}`;
}

/** True for a body that a reader would take for a frontmatter, or for an incomplete one. */
function looksFenced(body: string): boolean {
  return splitPrompt(body).frontmatter !== undefined || lostFrontmatter(body) !== undefined;
}

function isSamePrompt(
  text: string,
  { body, policy }: { readonly body: string; readonly policy: PolicyRead | undefined },
): boolean {
  const read = parseFrontmatter(text, String);
  if (read.kind === 'invalid' || policy?.kind !== 'policy') return false;
  const said = ({ allowed, ...rest }: typeof read.policy): unknown => [
    allowed.map(({ tag, attributes }) => [tag, attributes]),
    sorted(rest),
  ];
  return read.body === body.replaceAll('\r\n', '\n') && isEqual(said(read.policy), said(policy.policy));
}

/** The file of a script `name`: its YAML comments and settings become its first comments. */
export function scriptText(
  { region, yaml }: StateSource,
  name: string,
  { content, settings = {} }: PackedFile,
): string | undefined {
  const body = content.toString();
  const header = headerOf({ region, yaml });
  const text = withComments(body, {
    name,
    header,
    comments: region.comments.map(({ text: comment }) => bare(comment)),
  });
  const [before, after] = [readScriptHeader(body, name), readScriptHeader(text, name)];
  if (before.kind === 'invalid' || after.kind === 'invalid') return undefined;
  return isEqual(sorted(after.settings), sorted({ ...before.settings, ...settings })) ? text : undefined;
}

/** The keys of a YAML state that a header has, too. */
export const HEADER_KEYS = ['timeout', 'retries', 'limit', 'sandbox'] as const;

function headerOf({ region, yaml }: StateSource): string {
  const words = HEADER_KEYS.flatMap((key) => {
    const entry = region.entries.find((own) => own.key === key);
    if (entry === undefined || yaml.isNothing(entry.value)) return [];
    return [`${key}=${[yaml.plain(entry.value)].flat().join(',').replace(/\s+/g, '')}`];
  });
  return words.length === 0 ? '' : ` raymond: ${words.join(' ')}`;
}

function withComments(
  body: string,
  { name, header, comments }: { readonly name: string; readonly header: string; readonly comments: readonly string[] },
): string {
  const sign = name.endsWith('.bat') ? '::' : /\.[jt]s$/.test(name) ? '//' : '#';
  const end = /^.*\r\n/.test(body) ? '\r\n' : '\n';
  // "#!" would name a program that runs the script.
  const lines = [...(header === '' ? [] : [header]), ...comments.map((comment) => comment.replace(/^!/, ' !'))];
  const [first = ''] = /^#!.*(?:\r?\n|$)/.exec(body) ?? [];
  const start = first === '' || first.endsWith('\n') ? first : `${first}${end}`;
  return [start, ...lines.map((line) => `${sign}${line}${end}`), body.slice(first.length)].join('');
}

/** A YAML comment without its `#`. */
export function bare(comment: string): string {
  return comment.replace(/^#/, '');
}

function sorted(fields: object): unknown {
  return Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** True for values with the same JSON. */
export function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
