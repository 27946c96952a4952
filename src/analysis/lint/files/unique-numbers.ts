// What differs in each process or turn, as scripts write it: the id of the process or the turn, the time, a random number; and templates of paths
// in which one character stands for it. Pure.

/** Stands for the number, and for the path of a new temporary file. */
export const NUMBER = '\uE001';
export const TEMPORARY = '\uE002';
/** How a file is recognized by its name. */
export interface NameKeys {
  /** The part of the path with the number: the same text in each script that builds the name in the same way. */
  readonly key: string;
  /** Uses of one group may be of the same file. */
  readonly group: string;
}

/** The id of a turn in bash, and what differs in each process. */
const BASH_NUMBERS =
  /\$\{RAYMOND_(?:TURN_ID|ATTEMPT)\b[^{}\n]*\}|\$RAYMOND_(?:TURN_ID|ATTEMPT)\b|\$\$|\$\{\$\}|\$\{?(?:BASHPID|S?RANDOM|EPOCHSECONDS|EPOCHREALTIME)\b\}?|\$\(\s*(?:date\b[^()\n]*%(?:s|N|S|T|c|X)[^()\n]*|uuidgen[^()\n]*|openssl\s+rand[^()\n]*|cat\s+\/proc\/sys\/kernel\/random\/uuid)\)/g;
const BASH_TEMPORARY = /\$\(\s*mktemp\b[^()\n]*\)/g;

const PYTHON_NUMBERS =
  /(?<![\w.])[\w.]+(?:\.get\(|\[)\s*["']RAYMOND_(?:TURN_ID|ATTEMPT)["']\s*(?:,[^()\n]{0,40})?[\])]|\b(?:os\.)?getenv\(\s*["']RAYMOND_(?:TURN_ID|ATTEMPT)["'][^()\n]{0,40}\)|\b(?:os\.)?getpid\(\)|\b(?:uuid\.)?uuid[14]\(\)|\btime\.(?:time|time_ns|monotonic)\(\)|\bsecrets\.token_\w+\(\w*\)|\brandom\.(?:random|randint|randrange|getrandbits)\([^()\n]*\)|\b(?:datetime\.)?datetime\.(?:now|utcnow)\([\w.]*\)\.(?:strftime\([^()\n]*%(?:S|s|T|f|c|X)[^()\n]*\)|isoformat\([^()\n]*\)|timestamp\(\))|\btime\.strftime\([^()\n]*%(?:S|s|T|c|X)[^()\n]*\)/g;
const PYTHON_TEMPORARY = /\btempfile\.(?:mkdtemp|mktemp)\([^()\n]*\)/g;

const NODE_NUMBERS =
  /(?<![\w.])[\w.]+(?:\.RAYMOND_(?:TURN_ID|ATTEMPT)\b|\[["']RAYMOND_(?:TURN_ID|ATTEMPT)["']\])!?(?:\s*(?:\?\?|\|\|)\s*["'][^"'\n]*["'])?|\bprocess\.pid\b|\b(?:(?:globalThis\.)?crypto\.)?randomUUID\(\)|\bDate\.now\(\)|\bperformance\.now\(\)|\bprocess\.hrtime(?:\.bigint)?\(\)|\bMath\.random\(\)|\brandomBytes\(\w+\)|\brandomInt\([^()\n]*\)|\bnew Date\(\)\.(?:getTime\(\)|valueOf\(\)|toISOString\(\)(?!\.(?:slice\(0, ?(?:[4-9]|1[0-6])\)|substring\(0, ?(?:[4-9]|1[0-6])\)|split\(["']T["']\)\[0\])))/g;
const NODE_TEMPORARY = /\b(?:fs\.)?mkdtempSync\((?:[^()\n]|\([^()\n]*\))*\)/g;

/** The patterns of a language. */
export interface Numbers {
  readonly numbers: RegExp;
  /** Paths of new temporary files and folders. */
  readonly temporary: RegExp;
}

/** The patterns of the languages of scripts. */
export const UNIQUE: Readonly<Record<'bash' | 'python' | 'node', Numbers>> = {
  bash: { numbers: BASH_NUMBERS, temporary: BASH_TEMPORARY },
  python: { numbers: PYTHON_NUMBERS, temporary: PYTHON_TEMPORARY },
  node: { numbers: NODE_NUMBERS, temporary: NODE_TEMPORARY },
};

/** `"$folder"/list` and `$folder/"list"` as `$folder/list`. */
export function withoutInnerQuotes(text: string): string {
  return text.replace(/"(\$\w+|\$\{\w+\})"(?=\/)/g, '$1').replace(/(?<=[\w}"]\/)"([^"\s]*)"/g, '$1');
}

/** A word of bash with `*` in the place of its variables. */
export function plainWord(word: string): string {
  return word.replace(/\$\{[^{}]*\}|\$[\w@]+/g, '*');
}

/** A path whose parts before the one with the number do not matter. */
export function joined(head: string, template: string, tail: string): string {
  const isPath = head.includes('/') || template.startsWith('*/');
  const own = template.replace(/^\*\//, '');
  return (isPath ? '*/' : '') + head.replace(/^.*\//, '').replace(/^\*$/, isPath ? '*' : '') + own + tail;
}

/** The literal arguments behind one with the number, as a path. */
export function pathTail(args: string): string {
  return [...args.matchAll(/["'`]([^"'`\n]*)["'`]/g)].map(([, part = '']) => `/${part}`).join('');
}

/** The part of a path that identifies a file; undefined for a text that is no path. */
export function keysOf(template: string): NameKeys | undefined {
  const isPath = template.startsWith('*/');
  const parts = template.replace(/^\*\//, '').split('/');
  const first = parts.findIndex((part) => part.includes(NUMBER) || part.includes(TEMPORARY));
  const part = parts[first] ?? '';
  if (/\s|^<|[=;(){}]/.test(part) || part === '') return undefined;
  if (part === TEMPORARY) return { key: parts.slice(first).join('/'), group: part };
  if (part === NUMBER && !isPath) return undefined;
  return { key: part, group: part };
}

/** True for a key that two scripts may share: of a temporary folder, only a file in it. */
export function isName(key: string): boolean {
  return key !== TEMPORARY;
}
