// Follows a variable of the environment into the functions that get it as their first argument, and to the tables in which a script looks it
// up. Pure.

/** The body of a function, and a pattern for the names that the variable has there. */
interface FunctionBody {
  readonly name: string;
  readonly body: string;
  readonly at: number;
}

const CALLS = String.raw`(?:\.(?:strip|trim|lower|upper|casefold|toLowerCase|toUpperCase)\(\))*`;

/** Reads the variable as a whole, in a program. */
const readOf = (variable: string): string =>
  String.raw`\(?(?:os\.environ(?:\.get\(|\[)|os\.getenv\(|process\.env(?:\.|\[))\s*["']?${variable}["']?(?:,\s*(?:""|''))?[)\]]?!?(?:\s*(?:\?\?|\|\||or)\s*(?:""|''))?\)?${CALLS}`;

/** The names to which a program assigns the variable as a whole, and nothing else. */
function namesOf(code: string, variable: string): readonly string[] {
  const assigned = new RegExp(
    String.raw`(?<![\w.])(\w+)(?:\s*:\s*\w+)?\s*=\s*(?:${readOf(variable)}|"?\$\{?${variable}\}?"?)[ \t]*;?[ \t]*$`,
    'gm',
  );
  return [...code.matchAll(assigned)].flatMap(([, name = '']) => (isAssignedOnce(code, name) ? [name] : []));
}

function isAssignedOnce(code: string, name: string): boolean {
  return code.match(new RegExp(`(?<![\\w.$])${name}(?:\\s*:\\s*\\w+)?\\s*=(?![=>])`, 'g'))?.length === 1;
}

const HEADS =
  /(?:\bfunction\s+(\w+)\s*\(\s*(\w+)\b|\b(?:const|let)\s+(\w+)\s*=\s*(?:function\s*)?\(?\s*(\w+)\b(?=[^=\n]*=>|[^\n]*\)\s*\{)|\bdef\s+(\w+)\(\s*(\w+)\b|^[ \t]*(?:function[ \t]+)?(\w+)[ \t]*\(\)[ \t]*\{)/gm;

/** The functions whose every call passes the variable as a whole. */
export function functionsWith(code: string, variable: string): readonly FunctionBody[] {
  const names = namesOf(code, variable);
  const passed = [readOf(variable), ...names.map((name) => String.raw`${name}\b${CALLS}`)].join('|');
  return [...code.matchAll(HEADS)].flatMap(
    ({ index, 0: head, 1: plain, 2: first, 3: arrow, 4: second, 5: python, 6: third, 7: shell }) => {
      const name = plain ?? arrow ?? python ?? shell ?? '';
      const at = index + head.length;
      const [body = ''] = code.slice(at, at + 3000).split(/\n\}|\n(?=[^\s})])/, 1);
      const others = code.slice(0, index) + code.slice(at);
      const bash = [variable, ...names].map((one) => String.raw`\$\{?${one}(?:,,|\^\^|:-)?\}?(?!\w)`).join('|');
      const [called, wanted] =
        shell === undefined
          ? [`(?<![\\w.])${name}\\(`, `(?<![\\w.])${name}\\(\\s*(?:${passed})\\s*[,)]`]
          : [`(?<![\\w./-])${name}(?=[ \\t]+["'$])`, `(?<![\\w./-])${name}[ \\t]+"?(?:${bash})"?`];
      const [all, right] = [called, wanted].map((pattern) => others.match(new RegExp(pattern, 'g'))?.length ?? 0);
      const parameter = first ?? second ?? third;
      if (all === 0 || all !== right || (parameter !== undefined && isChanged(body, parameter))) return [];
      return [{ name: parameter === undefined ? shellNames(body) : `\\b${parameter}\\b`, body, at }];
    },
  );
}

function isChanged(body: string, name: string): boolean {
  return new RegExp(`(?<![\\w.$])${name}\\s*[-+]?=(?![=>])`).test(body);
}

/** The first argument of a bash function, and the local variables with it. */
function shellNames(body: string): string {
  const locals = [...body.matchAll(/\b(\w+)="?\$\{?1(?:,,|\^\^)?\}?"?(?=\s|;|$)/g)].map(([, name = '']) => name);
  return `(?:${['1', ...locals].join('|')})`;
}

/** A key of a table. */
interface Key {
  readonly text: string;
  readonly at: number;
}

/** The keys of the tables of texts in which a program looks the variable up. */
export function tablesRead(code: string, variable: string): readonly (readonly Key[])[] {
  const keys = [readOf(variable), ...namesOf(code, variable).map((name) => String.raw`${name}\b${CALLS}`)];
  const lookups = new RegExp(String.raw`(?<![\w.])(\w+)(?:\.get\(|\[)\s*(?:${keys.join('|')})\s*[,)\]]`, 'g');
  const tables = new Set([...code.matchAll(lookups)].map(([, name = '']) => name));
  return [...tables].flatMap((table) => {
    const made = new RegExp(String.raw`(?<![\w.])${table}(?:\s*:[^=\n]{1,60})?\s*=\s*\{([^{}]*)\}`).exec(code);
    // A table that is read in other ways may serve for more.
    if (made === null || (code.match(new RegExp(`(?<![\\w.])${table}\\b`, 'g'))?.length ?? 0) !== 2) return [];
    const from = made.index + made[0].lastIndexOf(`{${made[1] ?? ''}`) + 1;
    return [
      [...(made[1] ?? '').matchAll(/(?<=^|[,{\n])[ \t]*(?:["']([\w -]+)["']|([A-Za-z_]\w*))[ \t]*:/g)].map((key) => {
        const text = key[1] ?? key[2] ?? '';
        return { text, at: from + key.index + key[0].indexOf(text) };
      }),
    ];
  });
}
