// A rule about scripts that recognize work which is already done by the id of an attempt, which is new in each attempt.
import { mistakesOf, plainText, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';
import { functionsIn } from './lengths.js';

const MESSAGE = 'each attempt has another RAYMOND_ATTEMPT, so this key does not keep a retry from doing the same again';
const FIX = 'use RAYMOND_TURN_ID, which is the same for all attempts at the turn';

function* attemptsAsKeys(state: ScriptState): Generator<Mistake> {
  const code = plainText(state);
  const first = code.indexOf('RAYMOND_ATTEMPT');
  if (first < 0) return;
  const names = ['RAYMOND_ATTEMPT', ...derivedFrom(code)].join('|');
  const key = new RegExp(
    String.raw`(?:idempotency[-_]?(?:key|token|id)?\b["'\]]?\s*[:=,]|--client-(?:request-)?token[ =])\s*[^\n]*?(?<![\w])(${names})\b`,
    'gi',
  );
  const [match] = [...code.matchAll(key), ...soughtIn(code, names)];
  if (match !== undefined)
    yield { at: match.index + match[0].length - (match[1]?.length ?? 0), message: MESSAGE, fix: FIX };
  else if (isMarker(code, names) || (speaksOfRepeats(state, code) && isSent(code, names)))
    yield { at: first, message: MESSAGE, fix: FIX };
}

/** Looks for the id of the attempt among what was done before: `grep -q "$key" ledger || …`, `if key in done`. */
function soughtIn(code: string, names: string): readonly RegExpExecArray[] {
  const variable = String.raw`["']?\$\{?(${names})\b`;
  const patterns = [
    String.raw`^[ \t]*(?:if|while|until)?[ \t]*(?:![ \t]*)?grep[ \t]+(?:--?[\w-]+[ \t]+)*(?:-q\w*|-\w+q\w*|--quiet)[ \t]+(?:--?[\w-]*[ \t]+)*["']?\^?\$\{?(${names})\b`,
    String.raw`\[\[?[ \t]+(?:![ \t]+)?-[efs][ \t]+["']?[^\s\]]*\b(?:done|sent|booked|paid|posted|processed|seen|keys?|markers?|receipts?)\b[^\s\]]*\$\{?(${names})\b`,
    String.raw`\bINSERT\s+OR\s+IGNORE\b[^\n]*${variable}|\$\{?(${names})\b[^\n]*\bON\s+CONFLICT\b`,
    String.raw`\b(?:if|while)\b[^\n"']{0,60}(?<![\w.])(${names})[ \t]+(?:not[ \t]+)?in[ \t]+(?!\(|\[|["'])`,
    String.raw`\bif\b[^\n]{0,60}[\w)](?:\[|\.get\()(${names})[\])]`,
    String.raw`\bif[ \t]*\([^\n]*\.(?:has|includes)\(\s*(${names})\s*\)`,
  ];
  return patterns.flatMap((pattern) =>
    [...code.matchAll(new RegExp(pattern, 'gim'))].map((match) => {
      const [whole, ...groups] = match;
      const name = groups.find(Boolean) ?? '';
      match[0] = whole.slice(0, whole.lastIndexOf(name) + name.length);
      match[1] = name;
      return match;
    }),
  );
}

/** At most this many steps lead from the id to what is made of it. */
const STEPS = 4;

/** The variables and functions whose values contain the id of the attempt. */
function derivedFrom(code: string): readonly string[] {
  const found = new Set<string>();
  const functions = functionsIn(code);
  const assigned =
    /^[ \t]*(?:(?:export|const|let|var|local|readonly)[ \t]+)*(\w+)(?:[ \t]*:[ \t]*[\w<>]{1,40})?[ \t]*=(?!=)([^\n]*)/gm;
  for (const [, name = ''] of code.matchAll(/\bRAYMOND_ATTEMPT[ \t]*:[ \t]*(\w+)/g)) found.add(name);
  const assignments = [...code.matchAll(assigned)].filter(([, , value = '']) => !READS.test(value));
  for (let step = 0; step < STEPS; step++) {
    const source = new RegExp(`\\bRAYMOND_ATTEMPT\\b|(?<![\\w.-])(?:${[...found, '(?!)'].join('|')})\\b`);
    for (const [, name = '', value = ''] of assignments) if (source.test(value)) found.add(name);
    for (const { name, at, end } of functions) {
      const returned = /\breturn\b([^\n]*)/.exec(code.slice(at, end))?.[1] ?? '';
      if (source.test(returned) && !READS.test(returned)) found.add(name);
    }
  }
  return [...found];
}

/** What reads the content of a file, or the answer of a service: a value that does not contain the id. */
const READS =
  /\$\((?!printf|echo)[^()\n]*[ \t](?![^()\n]*<<<)|\bread\w*\(|\bopen\(|\bexists|\bawait\b|\.status\b|\b(?:subprocess|exec\w*|spawn\w*)\b/;

const WRITES =
  /\b(?:touch|tee|write\w*|append\w*|openSync)\b|["'][wax]b?["']|[^-=&\d]>>?[ \t]*["'$\w]|^>>?[ \t]*["'$\w]/;

/** True for a file whose name contains the id, and of which the script tests whether it exists before it writes it. */
function isMarker(code: string, names: string): boolean {
  const name = String.raw`(?<![\w.])(?:${names})\b`;
  const test = new RegExp(
    String.raw`(?:\[\[?[ \t]+(?:![ \t]+)?-[efsr]|\btest[ \t]+-[efsr])[ \t]+[^\s\]]*${name}|${name}["'\])]{0,3}\.(?:exists|is_file)\(|\b(?:exists|isfile|existsSync)\([^()\n]{0,80}${name}`,
  ).exec(code);
  if (test === null) return false;
  const uses = [...code.matchAll(new RegExp(`^[^\\n]*${name}[^\\n]*$`, 'gm'))];
  // A folder of its own is right for each attempt.
  if (uses.some(([line]) => /\bmkdir|makedirs/.test(line))) return false;
  const isWritten = uses.some(({ 0: line, index }) => WRITES.test(line) && index + line.length > test.index);
  const isWrittenBefore = uses.some(({ 0: line, index }) => WRITES.test(line) && index + line.length <= test.index);
  return isWritten && !isWrittenBefore;
}

const REPEATS =
  /\b(?:only|exactly|just|most|than)\s+(?:\w+\s+)?once\b|\btwice\b|\bidempoten|\bduplicat|\bdedup|\balready\b|\bsame\b|\bsecond\b|\brepeat/i;

/** True for a script with retries whose comments say that something must not happen twice. */
function speaksOfRepeats({ source }: ScriptState, code: string): boolean {
  if ((source.settings.retries ?? 0) === 0 || code.includes('RAYMOND_TURN_ID')) return false;
  const { shell, program } = source.script;
  const comments = (shell?.comments ?? program?.comments ?? []).map(({ text }) => text);
  const docs = program === undefined ? [] : [...code.matchAll(/("""|''')[^]{0,1000}?\1/g)].map(([text]) => text);
  return REPEATS.test([...comments, ...docs].join(' '));
}

const SENDS =
  /\b(?:curl|wget|headers?|body|data|json|params|request|fetch|post|put|execute|insert|send\w*|publish|payload|https?|axios|sqlite3|psql|mysql)\b|JSON|[ \t]-[HdF][ \t]|add_header|--[\w-]*(?:id|key|token|reference)\b|["']?[\w-]*(?:id|key|ref|reference|number|token|nonce|uuid|dedup\w*|booking|order|transaction|payment)["']?[ \t]*[:=]/i;

/** What only records an attempt, or names a file of its own. */
const RECORDS =
  /user-agent|trace|\blog\w*\b|attempt["']?[ \t]*:|x-[\w-]*attempt|correlation|stderr|console\.|>&2|\b(?:tmp|temp|part|partial)\b|mktemp/i;

/** A line that only gives the id a name. */
const NAMES_IT =
  /^[ \t]*(?:(?:export|const|let|var|local|readonly)[ \t]+)*(?:\w+(?:[ \t]*:[ \t]*\w+)?|\{[^{}]*\})[ \t]*=[^\n]*\bRAYMOND_ATTEMPT\b|^[ \t]*(?:def|function)\b/;

/** True for a script that sends the id to a service, or keeps it in a database. */
function isSent(code: string, names: string): boolean {
  const name = new RegExp(`(?<![\\w.])(?:${names})\\b`);
  return code
    .split('\n')
    .some((line) => name.test(line) && SENDS.test(line) && !RECORDS.test(line) && !NAMES_IT.test(line));
}

/** The rule about the id of an attempt as a key. */
export const ATTEMPT_RULES: readonly Rule[] = [
  {
    id: 'attempt-as-key',
    severity: 'warning',
    summary:
      'A script uses RAYMOND_ATTEMPT as an idempotency key, but RAYMOND_ATTEMPT is different at each start of the turn.',
    why: 'A service recognizes a repeated request by its key. RAYMOND_ATTEMPT differs at each attempt, so a retry counts as a new request. RAYMOND_TURN_ID stays the same.',
    check: (analysis) => mistakesOf(analysis, attemptsAsKeys),
  },
];
