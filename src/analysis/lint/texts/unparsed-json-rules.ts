// The rule about texts, such as the content of a JSON file, that a program uses as a list or an object without parsing them.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';
import { linesAround, matchesAround, programCode, readTexts, textOf, type ReadText } from '../scripts/program-code.js';

/** What a text has in JavaScript. */
const NODE_MEMBERS =
  'length|at|char(?:At|CodeAt)|codePointAt|concat|constructor|(?:starts|ends)With|includes|(?:last)?[iI]ndexOf|(?:is|to)WellFormed|localeCompare|match(?:All)?|normalize|pad(?:End|Start)|repeat|replace(?:All)?|search|slice|split|substr(?:ing)?|to(?:Locale)?(?:Lower|Upper)Case|toString|toLocaleString|trim(?:End|Start|Left|Right)?|valueOf|hasOwnProperty';

/** What a text or bytes have in Python. */
const PYTHON_MEMBERS =
  'capitalize|casefold|center|count|decode|encode|endswith|expandtabs|find|format|format_map|fromhex|hex|index|is[a-z]+|join|l?just|rjust|lower|[lr]?strip|maketrans|r?partition|remove(?:prefix|suffix)|replace|rfind|rindex|r?split|splitlines|startswith|swapcase|title|translate|upper|zfill|__\\w+';

const NODE_READ = String.raw`(?<![\w.])(?:fs\.)?readFileSync\((?:[^()\n]|\([^()\n]*\)){1,160}["']utf-?8["']\s*\)`;

/** The functions of a program that return what a file contains, and where they read it. */
function readersIn(code: string, isPython: boolean): readonly { readonly name: string; readonly at: number }[] {
  const heads = isPython
    ? [
        /^[ \t]*def[ \t]+(\w+)\([^\n]*:[ \t]*\n(?:[ \t]+with[ \t]+[^\n]*open\([^\n]*:[ \t]*\n)?[ \t]+return[ \t]+[^,\n]*\.(?:read_text\([^()\n]*\)|read\(\))[ \t]*$/gm,
        /^[ \t]*(\w+)[ \t]*=[ \t]*lambda[ \t]+\w+:[^,\n]*\.read_text\([^()\n]*\)[ \t]*$/gm,
      ]
    : [
        new RegExp(
          String.raw`^[ \t]*const[ \t]+(\w+)[ \t]*=[ \t]*(?:\([^()\n]*\)|\w+)[^=\n]{0,30}=>\s*${NODE_READ};?[ \t]*$`,
          'gm',
        ),
        new RegExp(String.raw`^[ \t]*function[ \t]+(\w+)\([^\n]*\{\s*return[ \t]+${NODE_READ};?\s*\}`, 'gm'),
      ];
  return heads.flatMap((head) =>
    [...code.matchAll(head)].map(({ index, 0: whole, 1: name = '' }) => {
      const line =
        whole
          .trimEnd()
          .replace(/\s*\}$/, '')
          .lastIndexOf('\n') + 1;
      return { name, at: index + line + whole.slice(line).search(/\S/) };
    }),
  );
}

/** The texts of a program, also those that its functions read. */
function textsOf(state: ScriptState, code: string): readonly ReadText[] {
  const isPython = executorOf(state.file) === 'python';
  // Without an encoding, Node.js gives bytes, which have some methods of a list.
  const isText = ({ isVariable, name }: ReadText): boolean => (isVariable ? !/^RAYMOND_RESULT_/.test(name) : isPython);
  const called = readersIn(code, isPython).map(({ name, at }) => {
    const pattern = String.raw`(?<![\w.]|\b(?:def|function)\s+)${name}\((?:[^()\n]|\([^()\n]*\)){0,160}\)`;
    return { ...textOf(code, { name: `what ${name} returns`, isVariable: false, pattern, own: [] }), keptAt: at };
  });
  const read = { name: 'what a file contains', isVariable: false, pattern: NODE_READ, own: [] };
  return [...readTexts(state, code).filter(isText), ...called, ...(isPython ? [] : [textOf(code, read)])];
}

/** The uses of a text that only a list or an object has. */
function usesOf(pattern: string, isPython: boolean): RegExp {
  return new RegExp(
    isPython
      ? String.raw`${pattern}(?:\[["']\w+["']\]|\.(?!(?:${PYTHON_MEMBERS})\b)[a-z]\w*\()`
      : String.raw`${pattern}\??\.(?!(?:${NODE_MEMBERS})\b)[A-Za-z]\w*|\{(?![ \t]*length\b)[^{}\n]*\}[ \t]*=[ \t]*${pattern}[ \t]*;?[ \t]*$|\bObject\.(?:keys|values|entries)\(\s*${pattern}\s*\)`,
    'gm',
  );
}

function* unparsed(state: ScriptState): Generator<Mistake> {
  // The name of a file such as "plan.txt" is no member of a variable.
  const code = programCode(state).replace(/(["'])[\w-]*\.[\w.-]*\1/g, (name) => `"${' '.repeat(name.length - 2)}"`);
  if (!/environ|getenv|\benv\b|read_text|\.read\(|readFileSync/.test(code)) return;
  const isPython = executorOf(state.file) === 'python';
  for (const text of textsOf(state, code)) {
    const lines = linesAround(code, text.pattern);
    const [use] = matchesAround(code, lines, usesOf(text.pattern, isPython));
    if (use === undefined) continue;
    const start = use.at + use.whole.search(/\S/);
    const holder = text.held?.find(({ name }) => new RegExp(`(?<![\\w.$])${name}(?![\\w$])`).test(use.whole));
    const [, member = 'fields'] = /(?:\.|\[["'])(\w+)["'\](]*$/.exec(use.whole) ?? [];
    yield {
      at: text.keptAt ?? holder?.at ?? start,
      message: `${text.isVariable ? `the variable ${text.name}` : text.name} is a text, which has no ${member}`,
      fix: isPython ? 'parse it: json.loads(…)' : 'parse it: JSON.parse(…)',
    };
  }
}

/** The rule about texts that are not parsed. */
export const UNPARSED_JSON_RULES: readonly Rule[] = [
  {
    id: 'unparsed-json',
    severity: 'warning',
    summary:
      'A Python or JavaScript program uses a text, such as the content of a JSON file, as a list or an object, but does not parse the text.',
    why: 'A file and a variable give a text, also if the text is JSON. A text has no methods such as filter or get and no fields, so the program fails, or the field is undefined. json.loads and JSON.parse make a list or an object of the text.',
    check: (analysis) => mistakesOf(analysis, unparsed),
  },
];
