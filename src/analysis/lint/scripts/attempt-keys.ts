// Finds keys by which a script recognizes what it has done before, made of RAYMOND_ATTEMPT, which is another one in each attempt. Pure.
import { plainText, type Mistake, type ScriptState } from '../helpers.js';

const ATTEMPT = 'RAYMOND_ATTEMPT';

/** A key that an attempt makes, and where. */
interface Key {
  readonly at: number;
}

/** Reports the first such key. */
export function* attemptsAsKeys(state: ScriptState): Generator<Mistake> {
  const code = plainText(state);
  if (!code.includes(ATTEMPT)) return;
  const names = [ATTEMPT, ...derivedFrom(code)].join('|');
  const [first] = [...namedKeys(code, names, saysOnce(state)), ...soughtIn(code, names), ...markersIn(code, names)];
  if (first === undefined) return;
  yield {
    at: first.at,
    message: 'each attempt has another RAYMOND_ATTEMPT, so this key does not keep a retry from doing the same again',
    fix: 'use RAYMOND_TURN_ID, which is the same for all attempts at the turn',
  };
}

/** Names that say that a request with the same value is carried out once. */
const KEY = String.raw`idempotency[-_]?(?:key|token|id)?|idempotence[-_]?\w*|de-?dup\w*[-_]?(?:id|key|token)?|client[-_]?(?:request[-_]?)?(?:token|ref(?:erence)?|request[-_]?id)|external[-_]?(?:ref(?:erence)?)|unique[-_]?(?:key|id)|once[-_]?key`;

/** Names that mean the same only if the script says so. */
const WEAK_KEY = String.raw`x-request-id|request[-_]?id|(?:order|payment|transfer|end[-_]?to[-_]?end)?[-_]?ref(?:erence)?|transaction[-_]?id|message[-_]?id|external[-_]?id|operation[-_]?(?:id|key)|nonce|event[-_]?id|job[-_]?id|(?:order|invoice|booking)?[-_]?number`;

/** A comment or a text that speaks of the second request. */
const ONCE =
  /\b(?:only|exactly|just) once\b|\btwice\b|\bduplicates?\b|\b(?:second|repeated|next|another) (?:time|request|try|attempt|insert|call|charge|order|payment|transfer|mail)\b|\b(?:seen|known|used|sent|done) (?:before|already)\b|\balready (?:seen|known|used|sent|done|has|exists|got|received|accepted|processed|booked|paid)\b|\bidempoten\w+|\bsame (?:id|key|reference|request|number|token|nonce)\b|\bsame [\w-]{1,20} (?:only )?once\b/i;

function saysOnce({ source }: ScriptState): boolean {
  const { shell, program } = source.script;
  const comments = shell?.comments ?? program?.comments ?? [];
  return ONCE.test(comments.map(({ text }) => text.replace(/^\W+/, '')).join(' '));
}

function namedKeys(code: string, names: string, isSaid: boolean): readonly Key[] {
  const key = isSaid ? `${KEY}|${WEAK_KEY}` : KEY;
  const pattern = new RegExp(
    String.raw`(?:(?<![\w-])(?:\w+_|x-)?(?:${key})["'\]]?\s*[:=,]|--[\w-]*(?:client-(?:request-)?token|dedup\w*|idempoten\w*)[\w-]*[ =])\s*[^\n]*?(?<![\w])(${names})\b`,
    'gi',
  );
  return [...code.matchAll(pattern)].map(({ index, 0: whole, 1: name = '' }) => ({
    at: index + whole.length - name.length,
  }));
}

/** Looks for the id of the attempt among what was done before: `grep -q "$key" ledger || …`, `if key in done`. */
function soughtIn(code: string, names: string): readonly Key[] {
  const variable = String.raw`["']?\$\{?(${names})\b`;
  const patterns = [
    String.raw`^[ \t]*(?:if|while|until)?[ \t]*(?:![ \t]*)?grep[ \t]+(?:--?[\w-]+[ \t]+)*(?:-q\w*|-\w+q\w*|--quiet)[ \t]+(?:--?[\w-]*[ \t]+)*["']?\^?\$\{?(${names})\b`,
    String.raw`\[\[?[ \t]+(?:![ \t]+)?-[efs][ \t]+["']?[^\s\]]*\b(?:done|sent|booked|paid|posted|processed|seen|keys?|markers?|receipts?)\b[^\s\]]*\$\{?(${names})\b`,
    String.raw`\bINSERT\s+OR\s+IGNORE\b[^\n]*${variable}|\$\{?(${names})\b[^\n]*\bON\s+CONFLICT\b`,
    String.raw`^[ \t]*(?:if|while)[ \t]+(${names})[ \t]+(?:not[ \t]+)?in[ \t]+(?!\(|\[|["'])`,
    String.raw`\bif[ \t]*\([^\n]*\.(?:has|includes)\(\s*(${names})\s*\)`,
  ];
  return patterns.flatMap((pattern) =>
    [...code.matchAll(new RegExp(pattern, 'gim'))].map((match) => {
      const [whole, ...groups] = match;
      return { at: match.index + whole.lastIndexOf(groups.find(Boolean) ?? '') };
    }),
  );
}

/** A file with the id in its name, which the script looks for before it makes the file. */
function markersIn(code: string, names: string): readonly Key[] {
  const paths = [
    ...code.matchAll(
      new RegExp(
        String.raw`^[ \t]*(?:(?:const|let|var|local|readonly)[ \t]+)?(\w+)[ \t]*=(?!=)[^\n]*(?<!\w)(?:${names})\b[^\n]*$`,
        'gm',
      ),
    ),
  ];
  return paths.flatMap(({ index, 0: line, 1: name = '' }) => {
    const rest = code.slice(index + line.length);
    const isPath = /\/|\bjoin\(|\bPath\(/.test(line.slice(line.indexOf('=')));
    const tested = new RegExp(
      String.raw`(?<![\w.])${name}\.(?:exists|is_file)\(|\bexists(?:Sync)?\(\s*${name}\b|\bisfile\(\s*${name}\b|(?:\[\[?|\btest)[ \t]+(?:![ \t]+)?-[efs][ \t]+["']?\$\{?${name}\b`,
    ).exec(rest);
    const made = new RegExp(
      String.raw`(?<![\w.])${name}\.(?:touch|write_text|open)\(|\bwriteFile(?:Sync)?\(\s*${name}\b|\bopen\(\s*${name}\s*,\s*["'][wax]|(?:>\|?|\btouch(?:[ \t]+--)?|\bmkdir(?:[ \t]+-\w+)*)[ \t]*["']?\$\{?${name}\b`,
    ).exec(rest);
    if (!isPath || tested === null || made === null || made.index < tested.index) return [];
    return [{ at: index + line.search(/\S/) }];
  });
}

/** The variables and the functions whose values contain the id of the attempt. */
function derivedFrom(code: string): readonly string[] {
  const names = new Set([...otherNames(code)]);
  const assigned = /^[ \t]*(?:(?:const|let|var|local|readonly|export)[ \t]+)?(\w+)[ \t]*=(?!=)([^\n]*)$/gm;
  for (let size = -1, round = 0; size < names.size && round < 5; round++) {
    size = names.size;
    const has = new RegExp([ATTEMPT, ...[...names].map((name) => String.raw`(?<![\w.])${name}\b`)].join('|'));
    for (const [, name = '', value = ''] of code.matchAll(assigned)) if (isMadeOf(value, has)) names.add(name);
    for (const name of functionsWith(code, has)) names.add(name);
  }
  return [...names].slice(0, 20);
}

/** A value that only depends on whether the id is set contains no id. */
function isMadeOf(value: string, has: RegExp): boolean {
  return (
    has.test(value) && !/^\s*(?:lambda\b|function\b|\(?\w*\)?\s*=>)|\bopen\(|\bmkdtemp|\.(?:log|tmp)\b/.test(value)
  );
}

/** `const { RAYMOND_ATTEMPT: attempt } = process.env`. */
function otherNames(code: string): readonly string[] {
  return [...code.matchAll(/\bRAYMOND_ATTEMPT[ \t]*:[ \t]*(\w+)/g)].map(([, name = '']) => name);
}

/** The functions that return a value with the id. */
function functionsWith(code: string, has: RegExp): readonly string[] {
  const heads =
    /^[ \t]*(?:export[ \t]+)?(?:async[ \t]+)?(?:def|function)[ \t]+(\w+)[^\n]*$|^[ \t]*const[ \t]+(\w+)[ \t]*=[^\n]*=>([^\n]*)$/gm;
  return [...code.matchAll(heads)].flatMap(({ index, 0: head, 1: name, 2: arrow, 3: value = '' }) => {
    if (arrow !== undefined && value.trim() !== '{') return has.test(value) ? [arrow] : [];
    const [body = ''] = code.slice(index + head.length, index + head.length + 2000).split(/\n(?=[^\s}])/, 1);
    return /\breturn\b/.test(body) && body.split('\n').some((line) => /\breturn\b/.test(line) && has.test(line))
      ? [name ?? arrow ?? '']
      : [];
  });
}
