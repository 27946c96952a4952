// Rules about the paths of a script: whether each prints one tag, and whether it ends with exit code 0. They report only what follows from
// the text, whatever the conditions of the script are.
import { mentionsIn, displayText, type Mention } from '../../mention.js';
import type { Position, PositionedText, TracedText } from '../../position.js';
import { missingTagAt, type ScriptPath } from '../../script/path.js';
import { COMPUTED } from '../../shell/words.js';
import { mistakesOf, scriptsOf, searchableText, TAG, tagOnStderr, type Mistake, type ScriptState } from '../helpers.js';
import { nearTagIn } from '../tags/near-tags.js';
import { conditionalExits, exitsWithTag } from './exit-rules.js';
import { openedTwice } from './script-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { coversAll } from '../texts/known-values.js';

interface TaggedPath {
  readonly path: ScriptPath;
  readonly tags: readonly Mention[];
  readonly isConflict: boolean;
  readonly isFailure: boolean;
}

/** The scripts of which all paths are known. */
function* knownScripts(
  analysis: Analysis,
): Generator<{ readonly state: ScriptState; readonly paths: readonly TaggedPath[] }> {
  for (const state of scriptsOf(analysis)) {
    const { script, raw } = state.source;
    if (script.flow?.isComplete !== true || analysis.syntax.has(state.file)) continue;
    const paths = script.flow.paths.map((path): TaggedPath => {
      const tags = tagsOn(path, raw);
      return { path, tags, isConflict: isConflict(tags), isFailure: path.status === 'false' };
    });
    yield { state, paths };
  }
}

/** The tags of a path; a body that begins on a line of its own counts as a part of its opening tag. */
function tagsOn({ text }: ScriptPath, raw: PositionedText): readonly Mention[] {
  const offsets = new Map<Position, number>();
  const at = (index: number): Position => {
    const position = raw.at(text.offsetOf(index));
    offsets.set(position, index);
    return position;
  };
  return mentionsIn({ text: text.text, source: 'script', at }).map((mention) => {
    const { at: start, body } = mention;
    const opening = text.text.slice(offsets.get(start), body && offsets.get(body.at));
    return body !== undefined && />\s*\n\s*$/.test(opening) ? { ...mention, body: { ...body, at: start } } : mention;
  });
}

/** A script may print several forks, also with one <goto>; any other tag must be the only one. */
function isConflict(tags: readonly Mention[]): boolean {
  const forks = tags.filter(({ tag }) => tag.startsWith('fork')).length;
  const gotos = tags.filter(({ tag }) => tag === 'goto').length;
  return forks === 0 ? tags.length > 1 : gotos > 1 || forks + gotos < tags.length;
}

/** A function may print one tag with several bodies. */
function keyOf({ at, body }: Mention): string {
  return `${at.line}:${at.column} ${body?.value ?? ''}`;
}

/** Where a tag is printed: of a tag in a function, where the function gets its body. */
function positionOf({ at, body }: Mention): Position {
  return body === undefined || body.at.line <= at.line ? at : body.at;
}

/** The first tag that is never printed on a path that `isGood` accepts. */
function neverGood(
  paths: readonly TaggedPath[],
  isGood: (path: TaggedPath) => boolean,
): { readonly tag: Mention; readonly on: TaggedPath } | undefined {
  const good = new Set(paths.filter(isGood).flatMap(({ tags }) => tags.map(keyOf)));
  for (const on of paths) {
    const tag = isGood(on) ? undefined : on.tags.find((one) => !good.has(keyOf(one)));
    if (tag !== undefined) return { tag, on };
  }
  return undefined;
}

/** A script may work on a path without a tag that another program prints. */
function mayWork(paths: readonly TaggedPath[]): boolean {
  return paths.some(({ path, tags, isConflict, isFailure }) => {
    return !isConflict && !isFailure && (tags.length > 0 || path.isOpen || path.text.text.includes(COMPUTED));
  });
}

/** What is certain only of bash: a program may change what its functions do. */
const WARNING = { severity: 'warning' } as const;

function* severalTags(analysis: Analysis): Generator<FindingDetails> {
  yield* tagsOfLoops(analysis);
  yield* tagsOfFiles(analysis);
  for (const { state, paths } of knownScripts(analysis)) {
    const found = neverGood(paths, ({ isConflict }) => !isConflict);
    if (found === undefined) continue;
    const { tag, on } = found;
    const other = on.tags.find((one) => keyOf(one) !== keyOf(tag) && !(one.tag === 'fork' && tag.tag === 'fork'));
    if (other === undefined) {
      const at = secondPrint(on.path, { tag: tag.tag, raw: state.source.raw });
      if (on.tags.length > 1 && at !== undefined)
        yield {
          at,
          state: state.file,
          ...WARNING,
          message: `the script prints ${outline(tag)} a second time; it must print exactly one tag`,
          fix: 'print it only once, and the rest to stderr',
        };
      continue;
    }
    const isCertain = !mayWork(paths);
    yield {
      at: positionOf(isCertain ? other : tag),
      state: state.file,
      ...(isCertain && state.source.script.shell ? {} : WARNING),
      message: `the script prints ${outline(tag)} on line ${positionOf(tag).line} and ${outline(other)} on line ${positionOf(other).line}; it must print exactly one tag`,
      fix: 'print only one: end the script after the first, for example with exit 0, or use if … else',
    };
  }
}

/** Where a tag that a variable holds is printed again: the end of a printed line has the position of its command. */
function secondPrint(
  { text }: ScriptPath,
  { tag, raw }: { readonly tag: string; readonly raw: PositionedText },
): Position | undefined {
  const first = text.text.indexOf(`<${tag}`);
  const end = text.text.indexOf('\n', text.text.indexOf(`<${tag}`, first + 1));
  return first < 0 || end < 0 ? undefined : raw.at(text.offsetOf(end));
}

/** A bash script that prints a file of its package with a tag in it, and a tag of its own in each case. */
function* tagsOfFiles(analysis: Analysis): Generator<FindingDetails> {
  const { files } = analysis.graph.source;
  for (const { source, file, mentions } of scriptsOf(analysis)) {
    if (mentions.every(({ isCertain }) => isCertain === false)) continue;
    for (const { index, 1: lead = '', 2: name = '' } of source.raw.text.matchAll(PRINTED_FILE)) {
      const other = files.get(name);
      const text = other !== undefined && 'raw' in other ? other.raw.text : '';
      if (mentionsIn({ text, source: 'script', at: () => source.raw.at(index) }).length === 0) continue;
      yield {
        at: source.raw.at(index + lead.length),
        state: file,
        ...WARNING,
        message: `this prints ${name}, which contains a tag, and the script prints a tag, too; it must print exactly one tag`,
        fix: `print ${name} to stderr with >&2, or remove the tag from it`,
      };
    }
  }
}

const PRINTED_FILE = /^([ \t]*)cat[ \t]+"?\$\{?RAYMOND_STATE_DIR\}?"?\/([\w.-]+)"?[ \t]*$/gm;

/** A loop that prints, for each item, a tag of which there may be one only. */
function* tagsOfLoops(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of scriptsOf(analysis)) {
    if (source.script.flow?.isComplete !== true || analysis.syntax.has(file)) continue;
    const repeated = new Map(source.script.flow.repeated.map(({ at, text }) => [at, text]));
    for (const [at, text] of repeated) {
      const [tag] = mentionsIn({ text: text.text, source: 'script', at: () => source.raw.at(at) });
      if (tag === undefined || tag.tag.startsWith('fork')) continue;
      yield {
        at: tag.at,
        state: file,
        ...WARNING,
        message: `every round of this loop prints ${outline(tag)}: two rounds print two tags, and the script must print exactly one`,
        fix: 'print the tag after the loop, leave the loop after the tag, or print a <fork> for each item',
      };
    }
  }
}

function outline({ tag, body }: Mention): string {
  return body === undefined ? `<${tag}/>` : `<${tag}>${displayText(body.value).slice(0, 40)}</${tag}>`;
}

/** A line that is only known at run time may be a tag. */
function mayHoldTag(text: string): boolean {
  return text.split('\n').some((line) => line.includes(COMPUTED) && !/[A-Za-z]{2}/.test(line));
}

/** What is nearly a tag, on a path without one. */
function mistypedOn(
  paths: readonly TaggedPath[],
): (NonNullable<ReturnType<typeof nearTagIn>> & { readonly text: TracedText }) | undefined {
  for (const { path, tags, isFailure } of paths) {
    const near = tags.length > 0 || isFailure ? undefined : nearTagIn(path.text.text);
    // Where another program may print the tag, only capitals are surely a slip.
    const isCertain = near !== undefined && (!path.isOpen || /^[A-Z]/.test(near.tag));
    if (near !== undefined && isCertain) return { ...near, text: path.text };
  }
  return undefined;
}

/** A handler prints the tag when the program ends. */
const RUNS_AT_END = /\bprocess\.on(?:ce)?\(['"](?:exit|beforeExit)['"]|\batexit\./;

function* pathsWithoutTag(analysis: Analysis): Generator<FindingDetails> {
  const twice = [...openedTwice(analysis, false)];
  yield* twice;
  for (const { state, paths } of knownScripts(analysis)) {
    if (!paths.some(({ tags }) => tags.length > 0) || twice.some((one) => one.state === state.file)) continue;
    const mistyped = mistypedOn(paths);
    if (mistyped !== undefined) {
      const { index, message, fix, text } = mistyped;
      yield { at: state.source.raw.at(text.offsetOf(index)), state: state.file, message, fix };
      continue;
    }
    // A test that is not true fails the script, so that it is tried again.
    const { retries = 0 } = state.source.settings;
    const found = paths.find(
      ({ path, tags, isFailure }) =>
        tags.length === 0 &&
        !isFailure &&
        !path.isOpen &&
        !(retries > 0 && path.status === 'untrue') &&
        !mayHoldTag(path.text.text) &&
        missingTagAt(path) !== undefined,
    );
    const skip = found && missingTagAt(found.path);
    if (skip === undefined || RUNS_AT_END.test(state.source.raw.text)) continue;
    if (coversAll(analysis, { file: state.file, text: state.source.raw.text.slice(skip.at) })) continue;
    const { text } = found?.path ?? {};
    const print = skip.isBranch ? (text?.text.indexOf('<print') ?? -1) : -1;
    yield {
      at: state.source.raw.at(print < 0 ? skip.at : (text?.offsetOf(print) ?? skip.at)),
      state: state.file,
      message: skip.isBranch
        ? 'the script prints no tag if it takes this branch'
        : 'the script prints no tag if no condition here is true',
      fix: skip.isBranch
        ? 'print a tag in it, or end it with exit code 1'
        : 'add an else, or a default, that prints a tag or ends with exit code 1',
      ...tagOnStderr(state.source),
    };
  }
}

function* failures(analysis: Analysis): Generator<FindingDetails> {
  // A count may be 0.
  const known = [...knownScripts(analysis)];
  const fine = new Set(
    known.flatMap(({ state, paths }) => ([...exitsWithTag(state, paths)].length === 0 ? state.file : [])),
  );
  const counted = [...mistakesOf(analysis, counts)].filter(({ state = '' }) => !fine.has(state));
  for (const finding of counted) yield { ...finding, ...WARNING };
  for (const { state, paths } of known) {
    const { raw, settings } = state.source;
    const { retries = 0 } = settings;
    const found = neverGood(paths, ({ isFailure, isConflict }) => !isFailure || isConflict);
    if (found !== undefined)
      yield {
        at: raw.at(found.on.path.endsAt),
        state: state.file,
        ...(mayWork(paths) || !state.source.script.shell ? WARNING : {}),
        message: `the script fails after it printed ${outline(found.tag)} on line ${found.tag.at.line}, so the tag does not count`,
        fix: 'end it with exit 0',
      };
    else if (counted.every((finding) => finding.state !== state.file)) {
      const guarded = [...conditionalExits(state, paths)];
      for (const { at, ...exit } of guarded.length > 0 ? guarded : exitsWithTag(state, paths))
        yield { at: raw.at(at), state: state.file, ...WARNING, ...exit };
    }
    const test = paths.find(
      ({ path, tags }) => tags.length > 0 && (path.status === 'test' || path.status === 'untrue'),
    );
    // A test alone at the end may be there to fail, so that the script is tried again.
    const isMeant = test !== undefined && retries > 0 && !/^[^\n]*&&/.test(raw.text.slice(test.path.endsAt));
    if (test !== undefined && !isMeant)
      yield {
        at: raw.at(test.path.endsAt),
        state: state.file,
        ...WARNING,
        message: 'the script ends with exit code 1 if this test is not true, and then its tag does not count',
        fix: 'write if …; then …; fi, or end with exit 0',
      };
  }
}

const EXITS_WITH = /^[ \t]*(?:sys\.exit|raise SystemExit)\((\w+)\(\)\)/m;
const RETURNED_COUNT = /^[ \t]+return ((?:len|sum)\(.*\))[ \t]*$/m;

/** What main returns is the exit code of `sys.exit(main())`: a count there is a failure. */
function* counts({ source }: ScriptState): Generator<Mistake> {
  const { program, shell } = source.script;
  if (shell !== undefined) yield* countsOfShell(searchableText({ source }));
  const [, name = ''] = EXITS_WITH.exec(program?.text ?? '') ?? [];
  const body = program?.functions.get(name);
  if (program === undefined || body === undefined) return;
  const returned = RETURNED_COUNT.exec(program.text.slice(body.at, body.end));
  const before = program.text.slice(body.at, body.at + (returned?.index ?? 0));
  if (returned === null || !/\bprint\(.*<[a-z-]+[ >/]/.test(before)) return;
  yield {
    at: body.at + returned.index + returned[0].search(/\S/),
    message: `${returned[1]} becomes the exit code, so the script fails after its tag unless it is 0`,
    fix: `return nothing, or call ${name}() without sys.exit`,
  };
}

/** `exit "$failures"` behind the tags. */
function* countsOfShell(text: string): Generator<Mistake> {
  const exit = /^exit[ \t]+["']?\$\{?(\w+)\}?["']?\s*$(?![^])/m.exec(text.trimEnd());
  const [, name = ''] = exit ?? [];
  const isCounter = new RegExp(
    `\\b${name}=\\$\\(\\(\\s*\\$?${name}\\s*\\+|\\(\\(\\s*(?:\\+\\+${name}|${name}\\s*\\+[+=])`,
  );
  if (exit === null || !isCounter.test(text) || !TAG.test(text.slice(0, exit.index))) return;
  yield {
    at: exit.index,
    message: `${name} becomes the exit code, so the script fails after its tag unless it is 0`,
    fix: 'end the script with exit 0',
  };
}

/** Rules about the paths of scripts. */
export const SCRIPT_FLOW_RULES: readonly Rule[] = [
  {
    id: 'script-several-tags',
    severity: 'error',
    summary:
      'A script prints several tags in one turn, but an output must have one tag, or several forks, or forks and one <goto>.',
    why: 'The output of a turn must have exactly one tag, or several <fork> that share one next. It is a warning if the script may also end another way.',
    check: severalTags,
  },
  {
    id: 'script-path-without-tag',
    severity: 'warning',
    summary: 'A script prints a tag in some cases, but not in all, for example because an if has no else.',
    why: 'An if without else, a case or a switch without a default, an early return, or a branch that only logs leaves the tag out. The turn then ends without one, and the agent fails.',
    check: pathsWithoutTag,
  },
  {
    id: 'script-fails-after-tag',
    severity: 'error',
    summary: 'A script prints its tag and then ends with an exit code other than 0, so the tag does not count.',
    why: 'A failed script fails the agent, whatever it has printed. A last line such as [ -f x ] && rm x ends with exit code 1 if the file does not exist.',
    check: failures,
  },
];
