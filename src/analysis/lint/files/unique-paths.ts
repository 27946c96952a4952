// Finds the files that a script names with a number of its own process or turn, such as `list-$$.txt`. The text of the script is rewritten until
// one character, an atom, stands for each such path: at its expression, and at each variable and function that has it. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import { literalPattern } from '../../../protocol/text.js';
import { plainText, type ScriptState } from '../helpers.js';
import { isDefinedOnce } from '../scripts/program-code.js';
import {
  joined,
  keysOf,
  NUMBER,
  type NameKeys,
  pathTail,
  plainWord,
  TEMPORARY,
  UNIQUE,
  withoutInnerQuotes,
} from './unique-numbers.js';

/** A state, or a file that states import. */
type ScriptFile = Pick<ScriptState, 'file' | 'source'>;

/** A use of a path whose name only one process knows. */
export interface UniqueUse extends NameKeys {
  /** The beginning of the line, in the text of the script. */
  readonly at: number;
  readonly before: string;
  readonly after: string;
}

const FIRST_ATOM = 0xe100;
const MOST_ATOMS = 400;
const ATOM = '[\uE100-\uE28F]';
const ROUNDS = 8;
/** More names and functions are not followed: each is sought in the whole script. */
const MOST_FUNCTIONS = 20;
const MOST_NAMES = 40;

const known = new WeakMap<ScriptState['source'], readonly UniqueUse[]>();

/** The uses of unique paths, in the order of the text. */
export function uniqueUses(state: ScriptFile): readonly UniqueUse[] {
  const found = known.get(state.source) ?? usesOf(state);
  known.set(state.source, found);
  return found;
}

function usesOf(state: ScriptFile): readonly UniqueUse[] {
  const executor = executorOf(state.file);
  const text = plainText(state);
  // A text with such characters cannot be marked with them.
  if (/[\uE001\uE002\uE100-\uE28F]/.test(text)) return [];
  if (executor !== 'bash' && executor !== 'python' && executor !== 'node') return [];
  return new Rewriting(text, executor).uses();
}

type Executor = 'bash' | 'python' | 'node';

/** Rewrites a script. Each replacement keeps the line breaks of what it replaces, so a line keeps its number. */
class Rewriting {
  private readonly templates: string[] = [];
  private readonly replaced = new Set<string>();

  constructor(
    private readonly original: string,
    private readonly executor: Executor,
  ) {}

  uses(): readonly UniqueUse[] {
    const marked = this.marked();
    if (marked === this.original) return [];
    let text = marked;
    for (let round = 0; round < ROUNDS; round++) {
      const next = this.executor === 'bash' ? this.bashRound(text) : this.programRound(text);
      if (next === text) break;
      text = next;
    }
    return this.usesIn(text);
  }

  /** The text with atoms in the place of numbers. */
  private marked(): string {
    const { numbers, temporary } = UNIQUE[this.executor];
    const plain = this.executor === 'bash' ? withoutInnerQuotes(this.original) : this.original;
    const text = this.replace(plain, numbers, () => NUMBER);
    return this.unpacked(this.replace(text, temporary, () => TEMPORARY));
  }

  /** `const { RAYMOND_TURN_ID: turn } = process.env`. */
  private unpacked(text: string): string {
    const [, renamed] =
      this.executor === 'node'
        ? (/\{[^{}]*\bRAYMOND_(?:TURN_ID|ATTEMPT)\b(?:\s*:\s*(\w+))?[^{}]*\}\s*(?::[^=\n]{1,40})?=\s*process\.env\b/.exec(
            text,
          ) ?? [])
        : [];
    return renamed === undefined ? text : this.withName(text, renamed, this.atom(NUMBER));
  }

  /** True for a name that has not been replaced. */
  private isNew(name: string): boolean {
    if (this.replaced.has(name) || this.replaced.size >= MOST_NAMES) return false;
    this.replaced.add(name);
    return true;
  }

  private atom(template: string): string {
    const known = this.templates.indexOf(template);
    if (known >= 0) return String.fromCharCode(FIRST_ATOM + known);
    if (this.templates.length >= MOST_ATOMS) return '';
    return String.fromCharCode(FIRST_ATOM + this.templates.push(template) - 1);
  }

  private templateOf(atom: string): string {
    return this.templates[atom.charCodeAt(0) - FIRST_ATOM] ?? '';
  }

  /** Replaces each match by an atom for the template that it gives. */
  private replace(text: string, pattern: RegExp, template: (match: readonly string[]) => string): string {
    return text.replace(pattern, (...match: string[]) => {
      const [whole = ''] = match;
      const atom = this.atom(template(match));
      return atom === '' ? whole : atom + whole.replace(/[^\n]/g, '');
    });
  }

  private bashRound(before: string): string {
    const part = String.raw`[\w.~:@%+*?,-]|\$\{\w+(?::?[-=?][^{}\n]*)?\}|\$[\w@]+`;
    let text = this.replace(
      before,
      new RegExp(
        `\\$\\(\\s*(?:echo|printf|basename|dirname|realpath|tr|sed|cut|(?:md5|sha\\d+)sum)\\b[^()\\n]*(${ATOM})[^()\\n]*\\)`,
        'g',
      ),
      ([, atom = '']) => this.templateOf(atom),
    );
    const word = new RegExp(`(?<![\\w$}])((?:${part}|/)*)(${ATOM})((?:${part}|/|${ATOM})*)`, 'g');
    text = this.replace(text, word, ([, head = '', atom = '', tail = '']) =>
      joined(plainWord(head), this.templateOf(atom), this.plainTail(tail)),
    );
    text = text.replace(new RegExp(`"(${ATOM})"`, 'g'), '$1');
    return this.bashFunctions(this.bashNames(text));
  }

  private plainTail(tail: string): string {
    return plainWord(tail.replace(new RegExp(ATOM, 'g'), NUMBER));
  }

  private bashNames(before: string): string {
    let text = before;
    const assigned = new RegExp(
      `(?:^|;|&&)[ \\t]*(?:(?:local|readonly|export|declare(?: -\\w)?)[ \\t]+)?(\\w+)=(${ATOM})[ \\t]*(?=$|;|&&)`,
      'gm',
    );
    for (const [, name = '', atom = ''] of before.matchAll(assigned)) {
      if (!this.isNew(name)) continue;
      if ((before.match(new RegExp(`(?<![\\w$])${name}=`, 'g'))?.length ?? 0) > 1) continue;
      text = text.replace(new RegExp(`\\$\\{${name}(?:[^\\w{}\\n][^{}\\n]*)?\\}|\\$${name}\\b`, 'g'), atom);
    }
    return text;
  }

  /** Functions that print a path, and functions that get one. */
  private bashFunctions(before: string): string {
    let text = before;
    const heads = [...before.matchAll(/^[ \t]*(?:function[ \t]+)?([\w-]+)[ \t]*\(\)[ \t]*\{/gm)];
    for (const { index, 0: head, 1: name = '' } of heads.slice(0, MOST_FUNCTIONS)) {
      const from = index + head.length;
      const end = before.slice(from).search(/^\}|[ \t;]\}[ \t]*$/m);
      const body = before.slice(from, end < 0 ? from : from + end);
      const [, given] =
        new RegExp(`^\\s*(?:echo|printf\\s+(?:'%s(?:\\\\n)?'|"%s(?:\\\\n)?"))\\s+(${ATOM})[\\s;]*$`).exec(body) ?? [];
      if (given !== undefined) {
        text = text.replace(new RegExp(`\\$\\(\\s*${literalPattern(name)}\\b[^()\\n]*\\)`, 'g'), given);
        continue;
      }
      const calls = [
        ...before.matchAll(new RegExp(`(?<![\\w$.-])${literalPattern(name)}[ \\t]+([^\\n;|&<>()]*)`, 'g')),
      ];
      for (const [position, atom] of passedOn(calls.map(([, args = '']) => args.trim().split(/[ \t]+/))))
        text = text.replace(body, () => body.replace(new RegExp(`"?\\$\\{?${position + 1}\\b\\}?"?`, 'g'), atom));
    }
    return text;
  }

  private programRound(before: string): string {
    const balanced = String.raw`(?:[^()\n]|\([^()\n]*\))*`;
    const literal = `[rf]?(["'\`])([^"'\`\\n]*)`;
    let text = this.literals(before);
    const filled = ([, , words = '', args = '']: readonly string[]): string => this.filled(words, args.split(','));
    const templates: readonly (readonly [string, (match: readonly string[]) => string])[] = [
      [`${literal}\\1(?:\\.format|\\s*%\\s*)\\(([^()\\n]*${ATOM}[^()\\n]*)\\)`, filled],
      [`${literal}\\1\\s*%\\s*(${ATOM})`, filled],
      [`${literal}\\1\\s*\\+\\s*(${ATOM})`, ([, , words = '', atom = '']) => words + this.templateOf(atom)],
      [`(${ATOM})\\s*\\+\\s*${literal}\\2`, ([, atom = '', , words = '']) => this.templateOf(atom) + words],
      [`(?<![\\w.])[\\w.]+\\s*\\+\\s*(${ATOM})`, ([, atom = '']) => this.templateOf(atom)],
      [`(${ATOM})\\s*\\+\\s*(${ATOM})`, ([, atom = '', other = '']) => this.templateOf(atom) + this.templateOf(other)],
      [
        `(?:\\b(?:os\\.path|path|posix)\\.)?\\b(?:join|resolve|Path|pathlib\\.Path|PurePath)\\(\\s*((?:[^()]|\\([^()]*\\)){0,200}?)(${ATOM})((?:\\s*,\\s*[rf]?["'\`][^"'\`\\n]*["'\`])*)\\s*,?\\s*\\)`,
        ([, head = '', atom = '', tail = '']) =>
          joined(head.trim() === '' ? '' : '*/', this.templateOf(atom), pathTail(tail)),
      ],
      [
        `(${ATOM})\\s*/\\s*${literal}\\2`,
        ([, atom = '', , words = '']) => joined('', this.templateOf(atom), `/${words}`),
      ],
      [
        `(${ATOM})\\.joinpath\\(\\s*${literal}\\2\\s*\\)`,
        ([, atom = '', , words = '']) => joined('', this.templateOf(atom), `/${words}`),
      ],
      [
        `(?:[\\w.]+(?:\\(${balanced}\\)|\\[[^\\]\\n]*\\])?|["'][^"'\\n]*["'])\\s*/\\s*(${ATOM})`,
        ([, atom = '']) => joined('*/', this.templateOf(atom), ''),
      ],
      [
        `(?<![\\w.])(?:str|String|Path|pathlib\\.Path|os\\.fspath|int|round|Number|(?:os\\.path\\.)?abspath|(?:os\\.)?(?:path\\.)?basename|hashlib\\.\\w+|createHash\\([^()\\n]*\\)\\.update)\\(\\s*(${ATOM})\\s*\\)`,
        ([, atom = '']) => this.templateOf(atom),
      ],
      [`(?<![\\w\\])}>])\\(\\s*(${ATOM})\\s*\\)`, ([, atom = '']) => this.templateOf(atom)],
      [
        `(${ATOM})\\.(?:replace|replaceAll|r?strip|lower|upper|hex|toString|slice|substr|substring|r?split|pop|at|padStart|trim|as_posix|resolve|absolute|encode|hexdigest|digest|isoformat)\\b(?:\\(${balanced}\\))?`,
        ([, atom = '']) => this.templateOf(atom),
      ],
      [`(${ATOM})(?:\\[[^\\]\\n]*\\]|!(?!=)|[ \\t]+as[ \\t]+string\\b)`, ([, atom = '']) => this.templateOf(atom)],
    ];
    for (const [pattern, template] of templates) text = this.replace(text, new RegExp(pattern, 'g'), template);
    return this.programFunctions(this.programNames(text));
  }

  /** A text with `{}` or `%s` in the place of values. */
  private filled(words: string, args: readonly string[]): string {
    let next = 0;
    return words.replace(/\{[^{}]*\}|%[sd]/g, () => {
      const [atom] = new RegExp(ATOM).exec(args[next++] ?? '') ?? [];
      return atom === undefined ? '*' : this.templateOf(atom).replace(/^\*\//, '');
    });
  }

  /** Texts with an atom in a placeholder. */
  private literals(text: string): string {
    const pattern =
      this.executor === 'python'
        ? new RegExp(`\\b[rR]?[fF][rR]?(["'])((?:(?!\\1)[^\\n\\\\])*${ATOM}(?:(?!\\1)[^\\n\\\\])*)\\1`, 'g')
        : new RegExp(`(\`)([^\`\\n\\\\]*${ATOM}[^\`\\n\\\\]*)\``, 'g');
    const inner = new RegExp(`^\\$?\\{[^{}]*(${ATOM})[^{}]*\\}$`);
    return this.replace(text, pattern, ([, , words = '']) => {
      const plain = words.replace(/\$?\{[^{}\n]*\}/g, (part) => {
        const [, atom] = inner.exec(part) ?? [];
        return atom === undefined ? '*' : this.templateOf(atom);
      });
      return plain.includes('/') ? joined('*/', plain.replace(/^[^\uE001\uE002]*\//, ''), '') : plain;
    });
  }

  private programNames(before: string): string {
    const assigned = new RegExp(
      `^[ \\t]*(?:(?:export[ \\t]+)?(?:const|let|var)[ \\t]+)?(\\w+)(?:[ \\t]*:[ \\t]*[\\w.<>| ]{1,40})?[ \\t]*=[ \\t]*(${ATOM})[ \\t]*;?[ \\t]*$`,
      'gm',
    );
    let text = before;
    for (const [, name = '', atom = ''] of before.matchAll(assigned))
      if (this.isNew(name) && isDefinedOnce(name, before)) text = this.withName(text, name, atom);
    return this.membersOf(text);
  }

  /** Attributes and methods without parameters that hold a path. */
  private membersOf(before: string): string {
    const members = new RegExp(
      `\\b(?:self|this)\\.(#?\\w+)[ \\t]*=[ \\t]*(${ATOM})[ \\t]*;?[ \\t]*$|\\bdef (\\w+)\\(self\\)[^\\n]*:\\s*return (${ATOM})[ \\t]*$|^[ \\t]+(?:get )?(\\w+)\\(\\)[^\\n{]*\\{\\s*return (${ATOM});?\\s*\\}`,
      'gm',
    );
    let text = before;
    for (const match of before.matchAll(members)) {
      const [name = '', atom = ''] = match.slice(1).filter(Boolean);
      if (!this.isNew(`.${name}`)) continue;
      text = text.replace(new RegExp(`\\b\\w+\\.${literalPattern(name)}\\b(?:\\(\\))?(?![ \\t]*=(?!=))`, 'g'), atom);
    }
    return text;
  }

  /** Puts an atom in the place of a name, but not of a word in a text. */
  private withName(text: string, name: string, atom: string): string {
    const word = `(?<![\\w.$])${name}(?![\\w$]|\\s*:(?!:)|[ \\t]*=(?![=>]))`;
    const strings = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\`(?:\\[^]|[^\`\\])*\``;
    const placeholder = new RegExp(`(\\{\\s*)${name}(?![\\w$(])`, 'g');
    return text.replace(new RegExp(`(${strings})|${word}`, 'g'), (_found: string, literal?: string) =>
      literal === undefined ? atom : literal.replace(placeholder, `$1${atom}`),
    );
  }

  /** Functions that return a path, and functions that get one. */
  private programFunctions(before: string): string {
    const heads =
      this.executor === 'python'
        ? /^(?:async )?def (\w+)\(([^()\n]*)\)[^\n]*:[ \t]*$/gm
        : /^(?:export )?(?:async )?(?:function (\w+)|(?:const|let) (\w+) = (?:async )?)[ \t]*\(([^()\n]*)\)[^\n{]*(?:\{|=>)[ \t]*/gm;
    let text = before;
    for (const head of [...before.matchAll(heads)].slice(0, MOST_FUNCTIONS)) {
      const name = head[1] ?? head[2] ?? '';
      const params = (this.executor === 'python' ? head[2] : head[3]) ?? '';
      const from = head.index + head[0].length;
      const rest = before.slice(from, from + 4000);
      const body = /^\S/.test(rest) ? (/^[^\n]*/.exec(rest)?.[0] ?? '') : (rest.split(/\n(?=[^\s])/, 1)[0] ?? '');
      text = this.withFunction(text, { name, params, body });
    }
    return text;
  }

  private withFunction(
    text: string,
    { name, params, body }: { readonly name: string; readonly params: string; readonly body: string },
  ): string {
    const call = new RegExp(`(?<![\\w.]|def |function )${name}\\(((?:[^()\\n]|\\([^()\\n]*\\))*)\\)`, 'g');
    const [, given] =
      new RegExp(`^\\s*(?:return\\s+)?(${ATOM})[\\s;]*$|\\breturn\\s+(${ATOM})[ \\t]*;?\\s*$`)
        .exec(body)
        ?.filter(Boolean) ?? [];
    if (given !== undefined) return text.replace(call, (whole) => given + whole.replace(/[^\n]/g, ''));
    const calls = [...text.matchAll(call)].map(([, args = '']) => args.split(',').map((arg) => arg.trim()));
    let inner = body;
    for (const [position, atom] of passedOn(calls)) {
      const [, param = ''] = /^\s*(\w+)/.exec(params.split(',')[position] ?? '') ?? [];
      if (param !== '') inner = this.withName(inner, param, atom);
    }
    return inner === body || body === '' ? text : text.replace(body, () => inner);
  }

  private usesIn(text: string): readonly UniqueUse[] {
    const starts = [0, ...[...this.original.matchAll(/\n/g)].map(({ index }) => index + 1)];
    return text.split('\n').flatMap((line, number) =>
      [...line.matchAll(new RegExp(ATOM, 'g'))].flatMap(({ index, 0: atom }) => {
        const keys = keysOf(this.templateOf(atom));
        const start = starts[number] ?? 0;
        const indent = /^[ \t]*/.exec(this.original.slice(start))?.[0].length ?? 0;
        if (keys === undefined) return [];
        return [{ ...keys, at: start + indent, before: line.slice(0, index), after: line.slice(index + 1) }];
      }),
    );
  }
}

/** The atom that calls of a function pass at one position, if it is one. */
function passedOn(calls: readonly (readonly string[])[]): readonly (readonly [number, string])[] {
  const isAtom = new RegExp(`^"?(${ATOM})"?$`);
  const positions = new Set(calls.flatMap((args) => args.flatMap((arg, index) => (isAtom.test(arg) ? [index] : []))));
  return [...positions].flatMap((position) => {
    const atoms = new Set(calls.flatMap((args) => isAtom.exec(args[position] ?? '')?.[1] ?? []));
    const [atom] = atoms;
    return atoms.size === 1 && atom !== undefined ? [[position, atom] as const] : [];
  });
}
