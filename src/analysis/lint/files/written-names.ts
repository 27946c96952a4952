// Finds the variables of a script that hold relative names of files which the script writes. Pure.

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
