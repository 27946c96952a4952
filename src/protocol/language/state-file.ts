// The parts of a state's file that configure Raymond: a prompt's frontmatter, and a line in a script's leading
// comments, `# raymond: retries=3 timeout=60s`. Pure text; a problem is a value with its line.
import { assertNever } from '../failure.js';
import { KEY_FORM, parseKeys } from '../leases.js';
import { executorOf } from './resolve.js';
import { parseSandbox, SANDBOX_FORM, type SandboxRequest } from '../sandbox.js';
import { clip, lineCounter, nearest, DURATION_FORM, parseDuration } from '../text.js';

/**
 * A prompt file in its two parts; `frontmatter` without its fences (its first line is line 2 of the file), absent
 * without one.
 */
interface PromptParts {
  readonly frontmatter?: string;
  readonly body: string;
}

/** The keys of a frontmatter. */
export const FRONTMATTER_KEYS = [
  'account',
  'allowed_transitions',
  'backend',
  'effort',
  'evaluate',
  'force_implicit',
  'limit',
  'lint_ignore',
  'model',
  'result',
  'sandbox',
  'timeout',
] as const;

/**
 * Splits at a block fenced by `---` lines at the very start; other text is body. Line endings become LF, a byte order
 * mark is dropped.
 */
export function splitPrompt(text: string): PromptParts {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const block = /^---[ \t]*\n((?:.*\n)*?)---[ \t]*\n/.exec(plain);
  if (block === null) return { body: plain };
  return { frontmatter: block[1] ?? '', body: plain.slice(block[0].length) };
}

/** A block that looks like frontmatter but is not in the right position, by the line of its first fence. */
interface LostFrontmatter {
  readonly kind: 'not-at-top' | 'not-closed';
  readonly line: number;
}

const KEY = new RegExp(`^\\s*(?:${FRONTMATTER_KEYS.join('|')})\\s*:`);

/** Looks for one in a body: only after blank lines and comments, and with a key of a frontmatter in it. */
export function lostFrontmatter(body: string): LostFrontmatter | undefined {
  const lines = body.split('\n');
  const start = firstStatement(lines);
  if (lines[start]?.trim() !== '---') return undefined;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.trim() === '---');
  const closed = end >= 0 && start + 1 + end < lines.length - 1;
  const block = end >= 0 ? rest.slice(0, end) : openBlock(rest);
  if (!block.some((line) => KEY.test(line))) return undefined;
  const atTop = start === 0 && lines[0]?.startsWith('---') === true;
  return { kind: atTop || !closed ? 'not-closed' : 'not-at-top', line: start + 1 };
}

/** Without a second fence the end of a block is a guess: the next blank line. */
function openBlock(lines: readonly string[]): readonly string[] {
  const block = lines.slice(firstStatement(lines));
  const blank = block.findIndex((line) => line.trim() === '');
  return blank < 0 ? block : block.slice(0, blank);
}

/** The index of the first line that is neither blank nor a comment of Markdown or YAML. */
function firstStatement(lines: readonly string[]): number {
  let index = 0;
  for (let inside = false; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').trim();
    if (!inside && line !== '' && !line.startsWith('#') && !line.startsWith('<!--')) break;
    if (line.startsWith('<!--')) inside = true;
    if (inside && line.includes('-->')) inside = false;
  }
  return index;
}

/** A problem or warning at a line of a file; `path` is the path of keys in YAML, or the part of a script's header. */
export interface LineProblem {
  readonly line: number;
  readonly text: string;
  readonly path?: readonly PropertyKey[];
}

/** A script's header. `timeout` is seconds without output, 0 = never. */
export interface ScriptSettings {
  readonly timeout?: number;
  readonly retries?: number;
  /** The limits that apply to its turns. */
  readonly limits?: readonly string[];
  readonly sandbox?: SandboxRequest;
}

/** A header that was understood (usually empty), or its problems. */
type ScriptHeader =
  | {
      readonly kind: 'header';
      readonly settings: ScriptSettings;
      readonly warnings: readonly LineProblem[];
      /** A warning: why the script may fail. */
      readonly hints: readonly LineProblem[];
    }
  | { readonly kind: 'invalid'; readonly problems: readonly LineProblem[] };

const KEYS = ['limit', 'retries', 'sandbox', 'timeout'] as const;
type Key = (typeof KEYS)[number];

/** How many lines are searched: lines below belong to the script. */
const HEAD_LINES = 20;

/** A comment with its text. Batch files often begin with a command that turns off echo. */
const COMMENT = { shell: /^#+(.*)$/, batch: /^(?:@?rem\b|::)(.*)$/i, node: /^(?:\/\/+|#!)(.*)$/ } as const;
const QUIET = /^@echo\s+off$/i;

/** Reads the header of the script `file`. */
export function readScriptHeader(text: string, file: string): ScriptHeader {
  const settings: { -readonly [K in keyof ScriptSettings]: ScriptSettings[K] } = {};
  const seen = new Set<Key>();
  const warnings: LineProblem[] = [];
  const problems: LineProblem[] = [...interpreterProblems(text, file)];
  for (const { line, words } of headerLines(text, file)) {
    for (const [word, key, value] of words) {
      const known = KEYS.find((name) => name === key);
      if (known === undefined) {
        warnings.push({ line, text: unknownWord(word, key) });
        continue;
      }
      const read = value === undefined ? undefined : settingOf(known, value);
      if (read === undefined)
        problems.push({ line, text: `${known}: expected ${FORM[known]}, got "${clip(word, 60)}"` });
      else if (seen.has(known)) problems.push({ line, text: `${known} is repeated; remove one` });
      else Object.assign(settings, read);
      seen.add(known);
    }
  }
  return problems.length > 0
    ? { kind: 'invalid', problems }
    : { kind: 'header', settings, warnings, hints: lineEndHints(text, file) };
}

/** Shebangs whose scripts bash runs well enough. */
const SHELLS = ['sh', 'bash', 'rbash', 'dash', 'ash', 'ksh', 'mksh', 'zsh', 'busybox'];

/** Bash would run a program of another language as commands: some of its words are commands. */
function interpreterProblems(text: string, file: string): readonly LineProblem[] {
  const [, path, rest = ''] = /^\uFEFF?#![ \t]*(\S+)([^\r\n]*)/.exec(text) ?? [];
  if (path === undefined || executorOf(file) !== 'bash') return [];
  const words = rest.split(/\s+/).filter((word) => word !== '' && !/^-|^\w+=/.test(word));
  const program = /(?:^|\/)env$/.test(path) ? words[0] : path;
  const name = program?.replace(/^.*\//, '') ?? 'sh';
  if (SHELLS.includes(name)) return [];
  const what = `the first line names ${clip(name, 60)}, but a .sh state is run by bash`;
  return [{ line: 1, text: `${what}; begin it with "#!/bin/bash" and call the program from there`, path: ['#!'] }];
}

const CR_LF = 'the line ends with CR LF, and bash reads the CR as part of the command; save the file with LF';

function lineEndHints(text: string, file: string): readonly LineProblem[] {
  const at = executorOf(file) === 'bash' ? text.indexOf('\r\n') : -1;
  return at < 0 ? [] : [{ line: lineCounter(text)(at), text: CR_LF }];
}

type Word = readonly [word: string, key: string, value: string | undefined];

function* headerLines(
  text: string,
  file: string,
): Generator<{ readonly line: number; readonly words: readonly Word[] }> {
  const executor = executorOf(file);
  const batch = executor === 'cmd';
  const form = COMMENT[batch ? 'batch' : executor === 'node' ? 'node' : 'shell'];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/, HEAD_LINES);
  for (const [index, raw] of lines.entries()) {
    const trimmed = raw.trim();
    const comment = form.exec(trimmed)?.[1];
    if (comment === undefined && trimmed !== '' && !(batch && QUIET.test(trimmed))) return;
    const said = /^\s*raymond:\s*(.*)$/.exec(comment ?? '')?.[1];
    if (said !== undefined) yield { line: index + 1, words: wordsOf(said) };
  }
}

function wordsOf(said: string): readonly Word[] {
  const words = said.replace(/\s*=\s*/g, '=').split(/\s+/);
  return words.flatMap((word): readonly Word[] => {
    const [, key = word, value] = /^([^=]*)=(.*)$/.exec(word) ?? [];
    return word === '' ? [] : [[word, key, value]];
  });
}

const FORM: Readonly<Record<Key, string>> = {
  timeout: `timeout=TIME (${DURATION_FORM}; 0 = never)`,
  retries: 'retries=NUMBER, such as retries=2',
  limit: `limit=KEY or limit=KEY,KEY, each ${KEY_FORM}`,
  sandbox: `sandbox=KIND (${SANDBOX_FORM})`,
};

function settingOf(key: Key, value: string): ScriptSettings | undefined {
  switch (key) {
    case 'timeout': {
      const timeout = parseDuration(value);
      return timeout === undefined ? undefined : { timeout };
    }
    case 'retries':
      return /^\d{1,9}$/.test(value) ? { retries: Number(value) } : undefined;
    case 'limit': {
      const limits = parseKeys(value);
      return limits === undefined ? undefined : { limits };
    }
    case 'sandbox': {
      const sandbox = parseSandbox(value);
      return sandbox === undefined ? undefined : { sandbox };
    }
    default:
      return assertNever(key);
  }
}

function unknownWord(word: string, key: string): string {
  const near = nearest(key, KEYS);
  const hint = near === undefined ? '' : `, did you mean ${near}?`;
  return `unknown word "${clip(word, 60)}" after "raymond:"${hint}; the keys are ${KEYS.join(', ')}`;
}
