// Rules about placeholders that stay as they are written: in quotes that keep them, in strings of another kind, or in another language.
import type { HereDoc } from 'unbash';
import { comparedKeys } from '../../../protocol/language/policy.js';
import { executorOf } from '../../../protocol/language/resolve.js';
import { BODYLESS, TAG_NAMES } from '../../../protocol/language/tag-table.js';
import { edgesInto } from '../../graph.js';
import type { TracedText } from '../../position.js';
import { nodesOf } from '../../shell/walk.js';
import { codeIn, matches, plainText, promptsOf, scriptsOf, type ScriptState } from '../helpers.js';
import { attributesPassed, BUILT_IN, SCRIPT_VARIABLES } from '../passed.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { lineFrom } from './program-code.js';

/** A pattern of placeholders; the first group of a match is the name. */
interface Notation {
  readonly pattern: RegExp;
  readonly fix: (name: string) => string;
  /** Whether the text around an offset of the file shows that it is no mistake. */
  readonly isMeant?: (raw: string, offset: number) => boolean;
  /** True if it counts in any printed text, and not only in tags. */
  readonly anywhere?: boolean;
}

const isEscaped = (raw: string, offset: number): boolean => raw[offset - 1] === '\\';

/** `$name` and `$(command)` in single quotes, or in a here-document whose word is quoted. */
const SHELL: Notation = {
  pattern: /\$\{?([A-Za-z_]\w*|(?=\())/g,
  fix: () => 'put the text in double quotes',
  isMeant: isEscaped,
};

/** The fix for all names in a here-document. */
const UNQUOTE = "remove the quotes around the delimiter of the here-document (<<END instead of <<'END')";

/** `{name}` in a string without `f`. */
const PYTHON: Notation = {
  pattern:
    /(?<![{$])\{(?:(?:len|str|int|sum|round|min|max|sorted)\()?([A-Za-z_]\w*)(?:[.[()][^{}]*)?(?:![rsa])?(?::[^{}\s]*)?\}(?!\})/g,
  fix: () => 'write f before the string',
  isMeant: (raw, offset) => raw[offset] !== '{' || raw[offset - 1] === '{' || raw[offset + 1] === '{',
  anywhere: true,
};

/** `${name}` in a string that is no template. */
const NODE: Notation = {
  pattern: /\$\{([A-Za-z_]\w*)[^{}]*\}/g,
  fix: () => 'write the string in backquotes',
  isMeant: (raw, offset) => isEscaped(raw, offset) || raw[offset] !== '$',
  anywhere: true,
};

/** What other languages write. */
const DOLLAR: Notation = {
  pattern: /\$\{?([A-Za-z_]\w*)\}?/g,
  fix: (name) => `write {${name}} in an f string`,
  isMeant: isEscaped,
};
const BRACES: Notation = {
  pattern: /(?<![{$])\{([A-Za-z_]\w*)\}(?!\})/g,
  fix: (name) => `write \${${name}}`,
  isMeant: (raw, offset) => raw[offset] !== '{',
};

const NOTATIONS: Readonly<Record<string, readonly Notation[]>> = {
  bash: [SHELL, { ...BRACES, fix: (name) => `write $${name}` }],
  python: [PYTHON, DOLLAR],
  node: [NODE, { ...BRACES, fix: (name) => `write \${${name}} in backquotes` }],
};

function* unfilled(analysis: Analysis): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis)) {
    const { source, file } = state;
    const isName = namesOf(analysis, state);
    const documents = quotedDocuments(state);
    const literal = new Map<number, string>();
    for (const text of source.script.printed) {
      const isInTag = tagsIn(text);
      for (const { pattern, fix, isMeant, anywhere = false } of NOTATIONS[executorOf(file)] ?? [])
        for (const { index, 0: whole, 1: name = '' } of text.text.matchAll(pattern)) {
          const offset = text.offsetOf(index);
          if (
            !(anywhere || isInTag(index)) ||
            (name !== '' && !isName(name)) ||
            isMeant?.(source.raw.text, offset) === true
          )
            continue;
          const written = name === '' ? '$(…)' : whole;
          const document = documents.find(({ body }) => body.pos <= offset && offset < body.end);
          if (document === undefined || !whole.startsWith('$'))
            yield notFilled({ state, offset, written, fix: fix(name) });
          else literal.set(document.pos, literal.get(document.pos) ?? written);
        }
      yield* braced(analysis, { state, text });
    }
    for (const [offset, written] of literal) yield notFilled({ state, offset, written, fix: UNQUOTE });
    yield* missingArguments(state);
    yield* bracedPaths(state);
    yield* bracedTexts(state);
  }
}

/** The here-documents of a bash script in which nothing is replaced. */
function quotedDocuments({ source: { script } }: ScriptState): readonly HereDoc[] {
  const all = script.shell === undefined ? [] : nodesOf(script.shell.ast, 'HereDoc');
  return all.filter(({ delimiter }) => delimiter?.quoted === true);
}

function notFilled({
  state,
  offset,
  written,
  fix,
}: {
  readonly state: ScriptState;
  readonly offset: number;
  readonly written: string;
  readonly fix: string;
}): FindingDetails {
  return { at: state.source.raw.at(offset), state: state.file, message: `${written} is printed as it is written`, fix };
}

/** Whether a name is one of the script, or of what tags pass to it. */
function namesOf(analysis: Analysis, { source, file }: ScriptState): (name: string) => boolean {
  const passed = attributesPassed(analysis, file);
  const { shell, program } = source.script;
  return (name) =>
    passed.has(name) ||
    SCRIPT_VARIABLES.includes(name) ||
    (shell !== undefined && isAssigned(source.raw.text, name)) ||
    program?.names.defined.has(name) === true;
}

function isAssigned(text: string, name: string): boolean {
  return new RegExp(`(?<![$\\w{])${name}\\+?=|\\b(?:read|for|local|mapfile)\\b[^\\n;|&]*\\b${name}\\b`).test(text);
}

/** The ranges of the tags in a printed text, with what is between them. */
function tagsIn({ text }: TracedText): (index: number) => boolean {
  const ranges = [...text.matchAll(ELEMENT)].map(({ index, 0: whole }) => [index, index + whole.length] as const);
  return (at) => ranges.some(([from, to]) => at > from && at < to);
}

const WITH_BODY = [...TAG_NAMES.filter((name) => !BODYLESS.includes(name)), 'print'].join('|');
const ELEMENT = new RegExp(`<(${WITH_BODY})(?![\\w-])[^]*?</\\1>|<(?:${BODYLESS.join('|')})\\b[^>]*>`, 'g');

/** `{{name}}` is filled in prompts, and in tags that lead to another workflow. */
function* braced(
  analysis: Analysis,
  { state, text }: { readonly state: ScriptState; readonly text: TracedText },
): Generator<FindingDetails> {
  const known = new Set([...BUILT_IN, ...attributesPassed(analysis, state.file)]);
  for (const { index: start, 0: element, 1: tag = '' } of text.text.matchAll(ELEMENT)) {
    if (tag.endsWith('-workflow')) continue;
    for (const { index, 0: written, 1: name = '' } of element.matchAll(/\{\{ *(\w+) *\}\}/g))
      if (known.has(name))
        yield notFilled({
          state,
          offset: text.offsetOf(start + index),
          written,
          fix: 'nothing replaces {{…}} in scripts: read the value from a variable of the environment',
        });
  }
}

/** Commands that fill templates of their own. */
const FILLS =
  /^(?:sed|perl|awk|echo|printf|cat|envsubst|jinja2?|mustache|gomplate|grep|rg|docker|podman|helm|kubectl|gh|git)$/;

/** `Path("data") / "{{input}}"` in Python and JavaScript. */
function* bracedTexts(state: ScriptState): Generator<FindingDetails> {
  if (state.source.script.program === undefined) return;
  const text = plainText(state);
  for (const { index, 0: whole, 2: name = '' } of text.matchAll(BRACED_TEXT)) {
    const line = lineFrom(text, text.lastIndexOf('\n', index) + 1);
    if (/repl|\bsub\(|format|templ|render|split|===?|!==?|\bin\b|includes|find|index|count|match|test/i.test(line))
      continue;
    yield notFilled({
      state,
      offset: index + 1,
      written: /\{\{\w+\}\}/.exec(whole)?.[0] ?? whole,
      fix: `nothing replaces {{…}} in scripts: read RAYMOND_${name.toUpperCase()} from the environment`,
    });
  }
}

const BRACED_TEXT = /(["'`])\{\{(input|result|task_folder|state_dir|agent_id|workflow_id)\}\}(?:\/[^"'`\n]*)?\1/g;

/** `cat "{{task_folder}}/notes"`, of which bash makes a path. */
function* bracedPaths(state: ScriptState): Generator<FindingDetails> {
  for (const { name, args } of state.source.script.commands) {
    const isAwkFile = (index: number): boolean =>
      /^(?:awk|sed|grep|rg|cat)$/.test(name) && (index > 0 || name === 'cat');
    for (const [index, arg] of args.entries()) {
      const match = /^\{\{ *(?:task_folder|state_dir) *\}\}(?=\/|$)/.exec(arg.text);
      if (match !== null && (!FILLS.test(name) || isAwkFile(index)))
        yield notFilled({
          state,
          offset: arg.offsetOf(0),
          written: match[0],
          fix: `nothing replaces {{…}} in scripts: write $RAYMOND_${/\w+/.exec(match[0])?.[0].toUpperCase() ?? ''}`,
        });
    }
  }
}

/** `printf` with more conversions than values. */
function* missingArguments(state: ScriptState): Generator<FindingDetails> {
  for (const { name, args, at } of state.source.script.commands) {
    const [format, ...values] = name === 'printf' ? args : [];
    if (format === undefined || !/<[a-z]/.test(format.text) || format.text.startsWith('-')) continue;
    const count = format.text.replaceAll('%%', '').match(/%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]/g)?.length ?? 0;
    const { text } = state.source.raw;
    const isList = /\[[@*]\]|\$[@*]|\*/.test(text.slice(at, text.indexOf('\n', at) + 1 || undefined));
    if (count > values.length && !isList)
      yield {
        at: state.source.raw.at(at),
        state: state.file,
        message: `printf has ${count} places for values, but gets ${values.length}`,
        fix: 'give it a value for each',
      };
  }
}

/** Variables that a shell of the reader has, too. */
const OF_EVERY_SHELL = /^(?:HOME|PATH|USER|PWD|SHELL|LANG|TMPDIR|EDITOR|TERM|HOSTNAME)$/;

/** `{name}` and `$name` in a prompt: only double braces are filled. */
function* unfilledInPrompts(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { body } = source.prompt;
    const names = new Set([...attributesPassed(analysis, file), 'input', 'result', 'task_folder', 'state_dir']);
    const isCode = codeIn(body.text);
    for (const { match, at } of matches(body, /(?<![{$\\])\$?\{(\w+)\}(?!\})|(?<![\\$\w])\$(\w+)\b/g)) {
      const name = match[1] ?? match[2] ?? '';
      const variable = /^RAYMOND_(?:INPUT|RESULT)$/.test(name) ? name.slice(8).toLowerCase() : name;
      const isShell =
        match[0].startsWith('$') && ((BUILT_IN.has(variable) && variable === name) || OF_EVERY_SHELL.test(name));
      if (!names.has(variable) || isShell || isCode(match.index)) continue;
      yield {
        at,
        state: file,
        message: `${match[0]} is not replaced: in a prompt, variables are written in double braces`,
        fix: `write {{${variable}}}`,
      };
    }
  }
}

/** What asks the model to fill in a text itself. */
const FILLS_IN = /\b(?:templates?|placeholders?|replac\w*|fill\w*|substitut\w*|braces|render\w*)\b/i;

/** `{{name}}` in a file that a prompt names: Claude Code reads the file as it is. */
function* unfilledInFiles({ graph, ...analysis }: Analysis): Generator<FindingDetails> {
  const seen = new Set<string>();
  for (const { source, file } of promptsOf({ graph })) {
    const { text } = source.prompt.body;
    const names = new Set([...BUILT_IN, ...attributesPassed({ graph, ...analysis }, file)]);
    for (const [, name = ''] of text.matchAll(/\{\{state_dir\}\}\/([\w./-]*\w)/g)) {
      const read = graph.source.files.get(name);
      if (read === undefined || read.kind === 'script' || !('raw' in read)) continue;
      if (seen.has(name) || edgesInto(graph, name).length > 0 || FILLS_IN.test(text + read.raw.text)) continue;
      seen.add(name);
      const isCode = codeIn(read.raw.text);
      for (const { match, at } of matches(read.raw, /\{\{(\w+)(?:\.\w+)*\}\}/g))
        if (names.has(match[1] ?? '') && !isCode(match.index))
          yield {
            at,
            state: file,
            message: `${match[0]} is not replaced here: the model reads this file itself, and Raymond replaces variables only in the prompt`,
            fix: `write ${match[0]} in ${file}`,
          };
    }
  }
}

/** A variable in an attribute of an entry or of a pattern's tag: Raymond replaces variables in `input` only. */
function* unfilledInEntries(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const known = new Set([...BUILT_IN, ...attributesPassed(analysis, file)]);
    for (const { tag, attributes } of [...source.prompt.entries, ...source.prompt.evaluators])
      for (const [name, { value, valueAt }] of attributes) {
        const [written, variable = ''] = /\{\{(\w+)\}\}/.exec(value) ?? [];
        if (written === undefined || name === 'input' || comparedKeys(tag).includes(name) || !known.has(variable))
          continue;
        yield {
          at: valueAt,
          state: file,
          message: `${written} is not replaced here: in the frontmatter, Raymond replaces variables only in input`,
          fix: `pass the value in input, or ask for ${name}="…" in the text of the prompt`,
        };
      }
  }
}

/** Rules about placeholders. */
export const PLACEHOLDER_RULES: readonly Rule[] = [
  {
    id: 'unfilled-placeholder',
    severity: 'warning',
    summary:
      'A prompt or a script writes a variable in a notation that is not replaced there, such as {name} in a prompt, or $name in single quotes in bash.',
    why: 'bash keeps $name in single quotes, and in a here-document whose delimiter is quoted. Python keeps {name} in a string without f. JavaScript replaces ${name} only in backquotes. {{name}} is replaced in prompts, and in tags that lead to another workflow; prompts have no other placeholders.',
    check: (analysis) => [
      ...unfilled(analysis),
      ...unfilledInPrompts(analysis),
      ...unfilledInFiles(analysis),
      ...unfilledInEntries(analysis),
    ],
  },
];
