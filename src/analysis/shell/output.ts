// The output of commands: of echo and printf, and which other commands print their input, something else, or nothing.
import { TracedText } from '../position.js';
import type { CommandLine } from './shell.js';
import { addUnescaped, COMPUTED } from './words.js';

/** Commands that never print a tag. */
export const SILENT: ReadonlySet<string> = new Set(
  `set cd pushd popd mkdir rmdir rm cp mv touch chmod chown ln sleep true false : exit return test [ kill wait trap shift unset read
  mapfile readarray ulimit umask break continue shopt let install sync mktemp pkill hash type ps df du date whoami id uname pwd dirname
  basename realpath which git make npm npx yarn pnpm tar zip unzip gzip gunzip`.split(/\s+/),
);

/** Commands that print their input, not their arguments. */
export const FILTERS: ReadonlySet<string> = new Set(
  `grep egrep fgrep rg sed awk tr cut sort uniq head tail wc jq xargs`.split(' '),
);

/** Commands that print what they read. */
export const COPIES: ReadonlySet<string> = new Set(['cat', 'tee']);

/** The output of echo or printf. */
export function printed({ name, args, at }: CommandLine): readonly TracedText[] {
  if (name === 'printf') return args[0]?.text === '-v' ? [] : [formatted(args)];
  const output = new TracedText();
  output.append(echoed(args));
  output.add('\n', at, true);
  return [output];
}

function echoed(args: readonly TracedText[]): TracedText {
  const [first, ...rest] = args;
  const options = first !== undefined && /^-[neE]+$/.test(first.text) ? first.text : '';
  const text = joined(options === '' ? args : rest);
  if (!options.includes('e')) return text;
  const plain = new TracedText();
  addUnescaped(plain, text);
  return plain;
}

/** Words with a blank between them. */
export function joined(words: readonly TracedText[]): TracedText {
  const all = new TracedText();
  for (const [index, word] of words.entries()) {
    if (index > 0) all.add(' ', word.offsetOf(0), true);
    all.append(word);
  }
  return all;
}

function formatted(words: readonly TracedText[]): TracedText {
  const [written, ...values] = words[0]?.text === '--' ? words.slice(1) : words;
  const output = new TracedText();
  if (written === undefined) return output;
  const format = new TracedText();
  addUnescaped(format, written);
  do {
    const valueCount = values.length;
    fill(output, format, values);
    if (values.length === valueCount) break;
  } while (values.length > 0);
  return output;
}

function fill(output: TracedText, format: TracedText, values: TracedText[]): void {
  const piece = /%%|%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?([a-zA-Z])|[^]/g;
  for (let match = piece.exec(format.text); match !== null; match = piece.exec(format.text)) {
    const [text, conversion] = match;
    const at = format.offsetOf(match.index);
    if (conversion !== undefined) {
      const value = values.shift();
      if (value === undefined) continue;
      if (conversion === 's' || conversion === 'b') output.append(value);
      else output.add(COMPUTED, at, true);
    } else if (text === '%%') output.add('%', at, true);
    else output.add(text, at);
  }
}
