// Finds the variables of a script whose values are names of files in its working directory: those that it lists there, and those that it writes.
// Pure.

/** What lists files by relative paths. */
const LISTS =
  /\bin\s+(?:[\w.-]+\/)*[\w.-]*(?:\*|\?(?!\.)|\[\w-\w\])|=\(\s*(?:[\w.-]+\/)*[\w.-]*(?:\*|\?(?!\.)|\[\w-\w\])|\bfind\s+(?:\.|[A-Za-z][\w./-]*)(?=\s)|\bls\b(?:\s+-\w+)*\s*(?:[|)]|(?:[\w.-]+\/)*[\w.-]*(?:[*?]|\[\w-\w\]))|\bgit["',\s]+(?:ls-files|ls-tree|for-each-ref|diff)\b|\bgrep\s+(?:-\w+\s+)*-\w*(?:r\w*l|l\w*r)|\brg\s+(?:-\w+\s+)*-l\b|\bos\.walk\(\s*["'](?![/~])|\bglob(?:Sync)?\(\s*["'](?![/~])|\bPath\(\s*(?:["'][\w.-]*["'])?\s*\)\.(?:iterdir|r?glob)\(|\b(?:listdir|scandir)\(\s*(?:["'](?!\/)|\))|\breaddir(?:Sync)?\(\s*["'](?!\/)/;

/** The variables whose values come from a list of files: the target of a loop or an assignment. */
export function listedNames(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  if (!LISTS.test(text)) return names;
  for (const name of listingFunctions(text)) names.add(name);
  const isPiped = /\bread\b/.test(text);
  const given = valuesGiven(text);
  for (let round = 0; round < 3; round++) {
    for (const { param, value } of given) if (usesAny(value, names)) names.add(param);
    for (const line of text.split('\n')) {
      for (const name of unpackedNames(line, names)) names.add(name);
      const target =
        /^\s*(?:async\s+)?(?:for\s*(?:await\s*)?\(?\s*)?(?:(?:const|let|var|local)\s+)?\[?(\w+)\]?(?:\s*:[^=]{0,30})?(?:\s*,\s*\w+)?\s*(?:\+?=(?!=)|\s(?:in|of)\s)|\b(?:mapfile|readarray)\b.*\s(\w+)\s*<|\bread\s+(?:-\w+\s+)*(?:''\s+)?(\w+)/.exec(
          line,
        );
      for (const [, list, item, each, all] of line.matchAll(ITEMS))
        if (names.has(list ?? all ?? '')) names.add(item ?? each ?? '');
      const name = target?.slice(1).find(Boolean);
      if (name === undefined || target === null) continue;
      const rest = line.slice(target.index);
      if (LISTS.test(rest) || (isPiped && /\bread\s/.test(rest)) || usesAny(rest.replace(name, ''), names))
        names.add(name);
    }
  }
  return names;
}

/** A program with its chains of calls in one line. */
export function joinedChains(text: string): string {
  return text.replace(/\n[ \t]*(?=\??\.[A-Za-z])/g, '');
}

/** `for (const { name } of files)`, and `files.map(({ name }) => …)`. */
function unpackedNames(line: string, names: ReadonlySet<string>): readonly string[] {
  const found = [
    ...line.matchAll(/\bfor\s*\(\s*(?:const|let)\s*([{[])([^{}[\]]{0,200})[}\]]\s*of\s+([\w.]+)/g),
    ...line.matchAll(/\.(?:map|forEach|flatMap)\(\s*(?:async\s*)?\(\s*([{[])([^{}[\]]{0,200})[}\]]/g),
  ];
  return found.flatMap(({ index, 2: inner = '', 3: list }) =>
    usesAny(list ?? line.slice(0, index), names) ? (inner.match(/\w+/g) ?? []) : [],
  );
}

/** The functions of a program or of bash, with the names of their parameters. */
function functionsIn(text: string): ReadonlyMap<string, readonly string[]> {
  const patterns = [
    /^[ \t]*(?:async[ \t]+)?(?:function|def)[ \t]+(\w+)[ \t]*\(([^()\n]*)\)/gm,
    /^[ \t]*(?:const|let)[ \t]+(\w+)[ \t]*=[ \t]*(?:async[ \t]*)?\(?([\w ,:]*)\)?(?:[ \t]*:[ \t]*\w+)?[ \t]*=>/gm,
  ];
  const functions = new Map<string, readonly string[]>();
  for (const pattern of patterns)
    for (const [, name = '', params = ''] of text.matchAll(pattern))
      functions.set(
        name,
        params.split(',').map((param) => /\w+/.exec(param)?.[0] ?? ''),
      );
  for (const [, name = ''] of text.matchAll(/^[ \t]*(?:function[ \t]+)?(\w+)[ \t]*\([ \t]*\)[ \t]*\{/gm))
    functions.set(name, ['1', '2', '3']);
  return functions;
}

/** A parameter of a function, and what one of the calls gives it. */
interface GivenValue {
  readonly param: string;
  readonly value: string;
}

function valuesGiven(text: string): readonly GivenValue[] {
  const functions = functionsIn(text);
  if (functions.size === 0) return [];
  const given: GivenValue[] = [];
  const add = (name: string, values: readonly string[]): void => {
    for (const [index, param] of (functions.get(name) ?? []).entries())
      if (param !== '') given.push({ param, value: values[index] ?? '' });
  };
  for (const line of text.split('\n')) {
    for (const { index, 1: name = '' } of line.matchAll(/\.(?:map|forEach|flatMap)\(\s*(\w+)\s*\)/g))
      add(name, [line.slice(0, index)]);
    for (const [, name = '', list = ''] of line.matchAll(/\bmap\(\s*(\w+)\s*,([^\n]*)/g)) add(name, [list]);
    for (const [, name = '', args = ''] of line.matchAll(/(?<!function |def )\b(\w+)\(([^()\n]*)\)/g))
      add(name, args.split(','));
    const [, command = '', words = ''] = /^[ \t]*(\w+)[ \t]+([^\n(){}]*)$/.exec(line) ?? [];
    if (functions.get(command)?.[0] === '1') add(command, words.split(/[ \t]+/));
  }
  return given;
}

/** `files.map((file) => …)`, and `… for file in files`. */
const ITEMS = /\b(\w+)\.(?:map|forEach|flatMap)\(\s*(?:async\s*)?\(?(\w+)\b|\bfor\s+(\w+)\s+in\s+(\w+)\b/g;

/** The functions of a program that list files. */
function listingFunctions(text: string): readonly string[] {
  const heads = [...text.matchAll(/^[ \t]*(?:(?:async[ \t]+)?function|def)[ \t]+(\w+)\(/gm)];
  return heads.flatMap(({ index, 1: name = '' }, at) => {
    const end = Math.min(heads[at + 1]?.index ?? text.length, index + 1000);
    const [body = ''] = text.slice(index, end).split(/\n(?=[^\s})])/, 1);
    return LISTS.test(body) ? [name] : [];
  });
}

export function usesAny(line: string, names: ReadonlySet<string>): boolean {
  return [...line.matchAll(/(?<![\w.])\w+/g)].some(([word]) => names.has(word));
}

/** A relative name that a script makes: `name=part-$n.txt`, `const file = \`part-${n}.txt\``. */
const RELATIVE_NAME =
  /(?<![\w.$])(?:(?:const|let|var|local)[ \t]+)?(\w+)(?:[ \t]*:[ \t]*\w+)?[ \t]*=(?!=)[ \t]*(?:(?:pathlib\.)?Path\([ \t]*)?f?["'`]?[A-Za-z][\w.-]*(?:\$|\{|%)[^\n/]*(?:$|;)/gm;

/** The variables with such a name to which the script writes in its working directory. */
export function writtenNames(text: string): readonly string[] {
  const names = new Set([...text.matchAll(RELATIVE_NAME)].map(([, name = '']) => name));
  return [...names].filter((name) =>
    new RegExp(
      String.raw`>\s*["']?\$\{?${name}\b\}?["']?(?=[\s;)]|$)|\bopen\(\s*${name}\s*,\s*(?:mode=)?["'][wax]|\b(?:writeFile|createWriteStream)(?:Sync)?\(\s*${name}\s*[,)]|(?<![\w.])${name}\)?\.(?:write_\w+|touch|open\(["'][wax])|\b(?:tee|touch)\s+["']?\$\{?${name}\b`,
      'm',
    ).test(text),
  );
}
