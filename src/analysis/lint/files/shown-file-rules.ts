// Rules about the files and limits of a question: a file to show that is not in the working directory of the agent, a copy under another label,
// and choices or sizes that are written in a way that Raymond reads differently.
import { allEdges, edgesInto } from '../../graph.js';
import { isComputed } from '../../mention.js';
import { mentionsOf, mistakesOf, plainText, scriptsOf, statesOf, type Mistake, type ScriptState } from '../helpers.js';
import { literalPattern } from '../../../protocol/text.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { shownUnderLabel, shownUnderOtherName } from './shown-names.js';

/** The paths of `display_files` as a script writes them. */
const SHOWN = /\bdisplay_files=\\?["']([^"'\\\n]{1,200})/g;

function* filesOutside({ source }: ScriptState): Generator<Mistake> {
  const code = plainText({ source });
  for (const { index, 1: value = '' } of code.matchAll(SHOWN))
    for (const entry of value.split(',')) {
      const [path = ''] = entry.trim().split(':');
      const where = locationOf(code, path.trim());
      if (where === undefined) continue;
      yield {
        at: index,
        message: `the file ${path.trim()} cannot be shown: it is in ${where}, but display_files takes paths below the working directory of the agent`,
        fix: 'write the file into the working directory, and name it by a relative path',
      };
    }
}

/** Where a script has put a file that it shows, if not in the working directory. */
function locationOf(code: string, path: string): string | undefined {
  const [, variable] = /^\$?\{?([A-Za-z_]\w*)\b/.exec(path.startsWith('$') || path.startsWith('{') ? path : '') ?? [];
  if (variable !== undefined)
    return variable === 'RAYMOND_TASK_FOLDER' || isInTaskFolder(code, variable) ? 'the task folder' : undefined;
  if (!/^[\w-]+\.\w+$/.test(path) || path.startsWith('/')) return undefined;
  const name = literalPattern(path);
  const anywhere = code.match(new RegExp(`(?<![\\w.-])${name}(?![\\w.-])`, 'g'))?.length ?? 0;
  const inTask =
    code.match(
      new RegExp(`TASK_FOLDER\\}?"?/${name}(?![\\w.-])|TASK_FOLDER["']\\][^\\n]{0,4}[/,+]\\s*["']/?${name}`, 'g'),
    )?.length ?? 0;
  if (inTask > 0 && anywhere === inTask + 1) return 'the task folder';
  return isWrittenAfterCd(code, name) ? 'the directory into which the script has changed' : undefined;
}

/** True for a variable that a script builds from the task folder only. */
function isInTaskFolder(code: string, name: string, depth = 0): boolean {
  const found = [...code.matchAll(new RegExp(`(?<![\\w.$])${name}\\s*(?::\\s*\\w+\\s*)?=(?!=)([^\\n]*)`, 'g'))];
  const value = found.length === 1 ? (found[0]?.[1] ?? '') : '';
  // A text that is read from a file of the task folder may name any file.
  if (/TASK_FOLDER/.test(value)) return !/\b(?:relpath|relative|basename|\.name)\b|\$\(|read/.test(value);
  const [, other] = /^\s*["'(]?\$?\{?(\w+)\}?["']?\s*(?:\/|\.joinpath\()/.exec(value) ?? [];
  return other !== undefined && depth < 3 && isInTaskFolder(code, other, depth + 1);
}

/** True for a file that bash writes below a `cd` to a literal folder. */
function isWrittenAfterCd(code: string, name: string): boolean {
  const [change, ...others] = [...code.matchAll(/(?:^|&&|;)[ \t]*cd[ \t]+"?([\w-]+(?:\/[\w-]+)*)"?[ \t]*(?=$|&&|;)/gm)];
  if (change === undefined || others.length > 0 || /\bcd\s+(?:-|\.\.|"?\$)|\(\s*cd\b|\bpushd\b/.test(code))
    return false;
  const written = new RegExp(`>\\s*"?${name}(?![\\w.-])`).exec(code);
  return written !== null && written.index > change.index;
}

/** A copy of a shown file that a state looks for under the name of the file instead of its label. */
function* otherLabels(analysis: Analysis): Generator<FindingDetails> {
  for (const state of statesOf(analysis)) {
    const asks = allEdges(analysis.graph).filter(
      ({ tag, role, to }) => tag === 'ask' && role === 'next' && to.kind === 'state' && to.file === state.file,
    );
    const shown = asks.map(({ mention }) => mention.attributes.get('display_files')?.value);
    if (asks.length === 0 || shown.some((value) => value === undefined || isComputed(value))) continue;
    const labels = shown.flatMap((value) => (value ?? '').split(',').map(labelOf));
    const { source } = state;
    const text = source.kind === 'prompt' ? source.prompt.body : source.kind === 'script' ? source.raw : undefined;
    const plain = plainText(state);
    for (const { index, 0: whole, 1: name = '' } of plain.matchAll(/\/shown\/([\w.-]+\w)(?![\w*/ ]*[*$])/g)) {
      if (text === undefined || labels.some((label) => label === name || label.startsWith(name))) continue;
      yield {
        at: text.at(index + whole.indexOf(name)),
        state: state.file,
        message: `there is no copy ${name}: the copy of a shown file has the name of its label, here ${labels.join(' or ')}`,
        fix: `write shown/${labels[0] ?? 'LABEL'}`,
      };
    }
  }
}

function labelOf(entry: string): string {
  const [path = '', label] = entry.split(':').map((part) => part.trim());
  return label ?? path.replace(/^.*\//, '');
}

/** Choices in one piece, and sizes in megabytes. */
function* misreadValues(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, mention } of mentionsOf(analysis)) {
    if (mention.tag !== 'ask' || mention.source === 'policy') continue;
    const choices = mention.attributes.get('choices');
    if (
      choices !== undefined &&
      !isComputed(choices.value) &&
      /^[^,]*\w\s*[|;]\s*\w[^,]*$|^yes\s*\/\s*no\b[^,]*$/i.test(choices.value)
    )
      yield {
        at: choices.valueAt,
        state: state.file,
        message: `choices="${choices.value}" is one choice: choices are separated by commas`,
        fix: `write choices="${choices.value.split(/\s*[|;/]\s*/).join(',')}"`,
      };
    for (const name of ['upload_max_size', 'upload_max_total_size']) {
      const size = mention.attributes.get(name);
      if (size === undefined || !/^\d{1,3}$/.test(size.value)) continue;
      yield {
        at: size.valueAt,
        state: state.file,
        message: `${name}="${size.value}" allows only ${size.value} bytes`,
        fix: `write the size in bytes, such as ${Number(size.value) * 1024 * 1024}`,
      };
    }
  }
}

/** Scripts that look up the next step by an answer, although a person may give any other answer. */
function* openAnswers(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of scriptsOf(analysis)) {
    const asks = edgesInto(analysis.graph, file);
    if (!file.endsWith('.py') || asks.length === 0 || !asks.every(({ tag, role }) => tag === 'ask' && role === 'next'))
      continue;
    const code = plainText({ source });
    const given = /^[ \t]*(\w+)\s*=\s*os\.environ\[["']RAYMOND_INPUT["']\](?:\.(?:strip|lower)\(\))*\s*$/m.exec(
      code,
    )?.[1];
    const key = `(?:os\\.environ\\[["']RAYMOND_INPUT["']\\]${given === undefined ? '' : `|${given}`})`;
    const match = new RegExp(`(\\{(?:\\s*["'][\\w -]+["']\\s*:[^{}\\n,]+,?)+\\}|\\b[A-Za-z_]\\w*)\\[${key}\\]`).exec(
      code,
    );
    const isTable =
      match?.[1]?.startsWith('{') === true || new RegExp(`^${match?.[1] ?? '(?!)'}\\s*=\\s*\\{`, 'm').test(code);
    if (match === null || !isTable || /\b(?:try|except|not in|in)\b(?!\s*os)|\bif\b/.test(code)) continue;
    yield {
      at: source.raw.at(match.index),
      state: file,
      message: 'the script fails if the person gives an answer that is none of these keys',
      fix: 'use .get(…) with a state for other answers',
    };
  }
}

/** Rules about the files and limits of a question. */
export const SHOWN_FILE_RULES: readonly Rule[] = [
  {
    id: 'unshowable-file',
    severity: 'warning',
    summary:
      'An <ask> shows a file that is outside of the working directory of the agent, or that states write under another name. Or a state looks for the copy under a name other than its label.',
    why: 'A path in display_files is relative to the working directory of the agent, and must not lead out of it. The copy is in asks/<ask id>/shown/ of the task folder, with the label as its name.',
    check: (analysis) => [
      ...mistakesOf(analysis, filesOutside),
      ...otherLabels(analysis),
      ...shownUnderOtherName(analysis),
      ...shownUnderLabel(analysis),
    ],
  },
  {
    id: 'misread-ask-attribute',
    severity: 'warning',
    summary:
      'In an <ask>, the choices have no commas between them, or a size is written in megabytes, but Raymond reads bytes.',
    why: 'Choices are separated by commas; the web UI shows one button for each. The sizes of uploaded files are numbers of bytes.',
    check: misreadValues,
  },
  {
    id: 'answer-not-among-keys',
    severity: 'warning',
    summary:
      'A Python script looks up the answer to an <ask> in a table, and fails for every answer that is not a key of the table.',
    why: 'The attribute choices only suggests answers: the person may give any other answer, also through "raymond answer".',
    check: openAnswers,
  },
];
