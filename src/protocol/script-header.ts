// The line of a script's leading comments that speaks to Raymond: `# raymond: retries=3 timeout=60s`. Pure text.
// Must not know where else a state can say the same; a mistake is a value with its line.
import { DURATION_FORM, parseDuration } from './duration.js';
import { executorOf } from './resolve.js';
import { clip, nearest } from './text.js';

/** Something to say about a line. */
export interface HeaderNote {
  readonly line: number;
  readonly text: string;
}

/** What a script says of itself. `timeout` is seconds of silence, 0 = never. */
export interface ScriptSettings {
  readonly timeout?: number;
  readonly retries?: number;
}

/** A header that was understood (most often there is none), or all its mistakes. */
export type ScriptHeader =
  | { readonly kind: 'header'; readonly settings: ScriptSettings; readonly warnings: readonly HeaderNote[] }
  | { readonly kind: 'mistaken'; readonly mistakes: readonly HeaderNote[] };

const KEYS = ['retries', 'timeout'] as const;
type Key = (typeof KEYS)[number];

/** Lines that are looked at: what stands further below is the script's own business. */
const HEAD_LINES = 20;

/** A comment with its text. Batch files most often begin with a command that keeps them quiet. */
const COMMENT = { shell: /^#+(.*)$/, batch: /^(?:@?rem\b|::)(.*)$/i } as const;
const QUIET = /^@echo\s+off$/i;

/** Reads the header of the script `file`. */
export function readScriptHeader(text: string, file: string): ScriptHeader {
  const settings: { -readonly [K in Key]?: number } = {};
  const warnings: HeaderNote[] = [];
  const mistakes: HeaderNote[] = [];
  for (const { line, words } of headerLines(text, file)) {
    for (const [word, key, value] of words) {
      const known = KEYS.find((name) => name === key);
      if (known === undefined) {
        warnings.push({ line, text: strange(word, key) });
        continue;
      }
      const read = value === undefined ? undefined : valueOf(known, value);
      if (read === undefined)
        mistakes.push({ line, text: `${known}: expected ${FORM[known]}, got "${clip(word, 60)}"` });
      else if (settings[known] !== undefined) mistakes.push({ line, text: `${known} is there twice; remove one` });
      else settings[known] = read;
    }
  }
  return mistakes.length > 0 ? { kind: 'mistaken', mistakes } : { kind: 'header', settings, warnings };
}

type Word = readonly [word: string, key: string, value: string | undefined];

function* headerLines(
  text: string,
  file: string,
): Generator<{ readonly line: number; readonly words: readonly Word[] }> {
  const batch = executorOf(file) === 'cmd';
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/, HEAD_LINES);
  for (const [index, raw] of lines.entries()) {
    const trimmed = raw.trim();
    const comment = COMMENT[batch ? 'batch' : 'shell'].exec(trimmed)?.[1];
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
};

function valueOf(key: Key, value: string): number | undefined {
  if (key === 'timeout') return parseDuration(value);
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

function strange(word: string, key: string): string {
  const near = nearest(key, KEYS);
  const hint = near === undefined ? '' : `, did you mean ${near}?`;
  return `unknown word "${clip(word, 60)}" after "raymond:"${hint}; the keys are ${KEYS.join(', ')}`;
}
