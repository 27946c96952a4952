// A rule about scripts with retries that do something lasting before a step that may fail, so that a retry does it again.
import { clip, literalPattern } from '../../../protocol/text.js';
import { mistakesOf, plainText, searchableText, statesOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis, Rule } from '../rule.js';
import { StepOrder } from './retried-order.js';
import { pointsOf, type Effect } from './retried-effects.js';

/** More effects and failures are not compared. */
const MOST_POINTS = 30;

function* repeatedEffects(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  if ((state.source.settings.retries ?? 0) === 0) return;
  const code = plainText(state);
  const { effects, failures } = pointsOf(state, code);
  if (effects.length === 0 || failures.length === 0) return;
  const order = new StepOrder(state, code);
  for (const effect of effects.slice(0, MOST_POINTS)) {
    if (isHandled(analysis, { state, code, effect })) continue;
    for (const failure of failures.slice(0, MOST_POINTS)) {
      const at = order.placeBefore({ effect, failure });
      if (at === undefined) continue;
      yield {
        at,
        message: `${effect.what}, and if the script fails later, at "${lineAt(code, failure.at)}", a retry does it again`,
        fix: 'do it after the step that may fail, or note RAYMOND_TURN_ID with it and look for this id first',
      };
      return;
    }
  }
}

function lineAt(code: string, at: number): string {
  const line = code.slice(code.lastIndexOf('\n', at - 1) + 1);
  return clip((/^[^\n]*/.exec(line)?.[0] ?? '').trim(), 60);
}

interface EffectInScript {
  readonly state: ScriptState;
  readonly code: string;
  readonly effect: Effect;
}

/** What a script does so that a second time does no harm. */
const UNDOES = /^[ \t]*trap\b[^\n]*(?:ERR|EXIT)|\brollback\b|\bBEGIN\b/m;

/** True for an effect that its script prepares for a second time, or that does no harm. */
function isHandled(analysis: Analysis, { state, code, effect }: EffectInScript): boolean {
  if (UNDOES.test(code) || isGuarded(code, effect)) return true;
  if (effect.file === undefined) return false;
  const { names, text } = effect.file;
  const isAppended = effect.kind === 'append';
  if (/log|trace|debug|tries|attempt|stderr|errors?\b/i.test(names.join(' '))) return true;
  if (/TURN_ID|ATTEMPT|mktemp|mkdtemp|\$\$|getpid|TemporaryFile|\/dev\//.test(names.join(' ') + text)) return true;
  if (isAppended && names.some((name) => isNewFile(code.slice(0, effect.at), name))) return true;
  const base = names.flatMap((name) => /[\w-]+\.\w+/.exec(name.replace(/\$\{?\w+\}?/g, ''))?.[0] ?? []);
  const readers = statesOf(analysis).filter(
    (other) => other.file !== state.file && base.some((name) => searchableText(other).includes(name)),
  );
  if (readers.some((reader) => /\bsort\s+-\w*u|\buniq\b|\bset\(|new Set\b|seen|duplicate/i.test(plainText(reader))))
    return true;
  return readers.length === 0 && !effect.isVarying;
}

/** True for a file that the script makes from nothing before, or reads before, for example to continue where it has stopped. */
function isNewFile(above: string, name: string): boolean {
  const path = literalPattern(name);
  const made = new RegExp(
    `(?<![>&\\d])>\\|?[ \\t]*["']?${path}|\\b(?:rm|truncate|unlink\\w*|rmSync|remove|copyFile\\w*)\\b[^\\n]*${path}|\\b(?:cp|mv)\\b[^\\n]*\\s["']?${path}["']?[ \\t]*$|${path}["']?\\)?(?:\\.unlink|\\.write_text|\\.open\\(["']w|[^\\n]{0,20},\\s*["']w["'])|writeFile\\w*\\(\\s*["']?${path}`,
  );
  const read = new RegExp(
    `<[ \\t]*["']?${path}|\\b(?:cat|wc|tail|awk|comm|sort|cut|mapfile)\\b[^\\n>]*${path}|(?<![\\w.])open\\(\\s*["']?${path}["']?\\s*(?:\\)|,\\s*(?:encoding|["']r))|readFile\\w*\\(\\s*["']?${path}|${path}["']?\\)?\\.(?:read_text|open\\(\\))`,
  );
  const lines = above.split('\n');
  return lines.some((line, index) => {
    // A file that is made only if it is missing is not new in a retry.
    const isIfMissing = MISSING.test(line) || MISSING.test(lines[index - 1] ?? '');
    return read.test(line) || (made.test(line) && !isIfMissing);
  });
}

const MISSING = /\[\[?\s+(?:!\s+)?-[efs]\s|\bexists\w*\(|\bis_file\(/;

const GUARD =
  /\bgrep\s+-\w*[qcxF]|\[\[?\s+(?:!\s+)?-[efs]\s|TURN_ID|\bnot in\b|\bexists?\w*\(|\.includes\(|\.has\(|\.some\(|already|\bSELECT\b/i;

const ASKS = /\bgrep\s+-\w*[qcxF]|\bnot in\b|\.includes\(|\.has\(|\.some\(/;

/** A test with the id of the turn. */
const TURN = /(?:\b(?:if|elif|case|while|grep|test)\b|\[\[?\s)[^\n]*TURN_ID|TURN_ID[^\n]*(?:\bin\b|exists|SELECT)/;

/** True for an effect under a condition that asks whether it has happened. */
function isGuarded(code: string, { at, file, kind }: Effect): boolean {
  if (kind === 'change') return /TURN_ID/.test(code);
  const lines = code.slice(0, at).split('\n');
  const start = lines.pop() ?? '';
  const rest = /^[^\n]*/.exec(code.slice(at))?.[0] ?? '';
  if (/\|\||&&/.test(start) && GUARD.test(start)) return true;
  if (/TURN_ID|Idempoten/i.test(kind === 'append' ? start + rest : code)) return true;
  let indent = (/^\s*/.exec(start)?.[0] ?? '').length;
  for (const line of lines.reverse()) {
    const own = (/^\s*/.exec(line)?.[0] ?? '').length;
    if (TURN.test(line) || (ASKS.test(line) && file?.names.some((name) => line.includes(name)) === true)) return true;
    if (MISSING.test(line) && /&&\s*(?:\{[^\n]*)?exit\b/.test(line)) return true;
    if (line.trim() === '' || own >= indent) continue;
    indent = own;
    if (/^\s*(?:if|elif|while|unless|else if|\} else if)\b/.test(line) && GUARD.test(line)) return true;
  }
  return false;
}

/** The rule about effects that a retry repeats. */
export const RETRIED_EFFECT_RULES: readonly Rule[] = [
  {
    id: 'repeated-by-retry',
    severity: 'warning',
    summary:
      'A script with retries appends to a file, raises a number or sends something before a step that may fail, so a retry does it a second time.',
    why: 'A retry runs the whole script again, also what the failed try has done before it failed. RAYMOND_TURN_ID is the same in all tries of a turn, so a script can note under this id what it has done.',
    check: (analysis) => mistakesOf(analysis, (state) => repeatedEffects(analysis, state)),
  },
];
