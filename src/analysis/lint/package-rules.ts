// Rules about a package as a whole: where it begins, what of it is never reached or used, what its names lead to.
import { describeProblem } from '../../protocol/language/problem.js';
import { MAX_DEPTH } from '../../protocol/machine/step.js';
import { MANIFEST_FILE } from '../../packages/manifest.js';
import { allEdges } from '../graph.js';
import type { Position } from '../position.js';
import { isClosed, promptsOf, statesOf, wordsOf } from './helpers.js';
import type { Analysis, Found, Rule } from './rule.js';

function start({ graph }: Analysis): Position {
  return graph.source.manifest?.keys[0]?.at ?? { file: graph.source.path, line: 1, column: 1 };
}

function* entryProblem(analysis: Analysis, ...kinds: readonly string[]): Generator<Found> {
  const { entry, source } = analysis.graph;
  if (entry.kind !== 'problem' || !kinds.includes(entry.problem.kind)) return;
  const at = { file: source.path, line: 1, column: 1 };
  yield { at, message: describeProblem(entry.problem) };
}

function* unreachable(analysis: Analysis): Generator<Found> {
  const { graph, reached } = analysis;
  if (graph.entry.kind !== 'state' || !isClosed(analysis)) return;
  for (const { file, at } of graph.states.values()) {
    if (reached.has(file)) continue;
    yield {
      at,
      state: file,
      message: `no state that can be reached from ${graph.entry.file} leads to ${file}`,
      fix: 'let a tag or a policy name it, or remove it',
    };
  }
}

/** Files that are there for people or for tools. */
const BESIDE = /^(?:\.|(?:readme|license|licence|changelog|notice|skill)(?:\.|$))|\.test\.ya?ml$/i;

function* unusedFiles(analysis: Analysis): Generator<Found> {
  const words = statesOf(analysis).map(wordsOf).join('\n');
  for (const source of analysis.graph.source.files.values()) {
    const { file, at, kind } = source;
    if (kind !== 'other' || file === MANIFEST_FILE || BESIDE.test(file) || words.includes(file)) continue;
    // A script that looks through its folder names no file.
    if (/RAYMOND_STATE_DIR\}?"?\/?\*/.test(words)) continue;
    yield { at, message: `no state names ${file}`, fix: 'remove it, or name it in a state' };
  }
}

function* nameCases({ graph }: Analysis): Generator<Found> {
  const seen = new Map<string, string>();
  for (const { file, at } of graph.states.values()) {
    const twin = seen.get(file.toLowerCase());
    seen.set(file.toLowerCase(), file);
    const extension = file.slice(file.lastIndexOf('.'));
    if (twin !== undefined)
      yield {
        at,
        state: file,
        message: `${file} and ${twin} differ only in case; on macOS and Windows they are one file`,
        fix: 'rename one of them',
      };
    else if (extension !== extension.toLowerCase())
      yield {
        at,
        state: file,
        message: `a name without extension is not found as ${file}, because of its "${extension}"`,
        fix: `rename it to ${file.slice(0, -extension.length)}${extension.toLowerCase()}`,
      };
    else if (/^(?:1_)?start\./i.test(file) && !/^(?:1_)?START\./.test(file))
      yield {
        at,
        state: file,
        message: `${file} is no entry point: names are compared exactly, upper and lower case too`,
        fix: 'rename it to START or 1_START',
      };
  }
}

function* nesting(analysis: Analysis): Generator<Found> {
  if (analysis.nesting <= MAX_DEPTH) return;
  const call = allEdges(analysis.graph).find(({ tag, to }) => to.kind === 'workflow' && /^(call|function)-/.test(tag));
  const how = analysis.nesting === Infinity ? 'come back to themselves' : `go ${analysis.nesting} deep`;
  yield {
    at: call?.at ?? start(analysis),
    ...(call === undefined ? {} : { state: call.from }),
    message: `the calls of other workflows ${how}; a run allows ${MAX_DEPTH}`,
    fix: 'return with <result> first, or go there with <reset-workflow>',
  };
}

function* mentionsLost(analysis: Analysis): Generator<Found> {
  for (const { source, file } of promptsOf(analysis)) {
    const { body } = source.prompt;
    for (const match of body.text.matchAll(MENTION)) {
      const path = match[1] ?? '';
      if (!analysis.lostMentions.has(path)) continue;
      yield {
        at: body.at(match.index + match[0].indexOf('@')),
        state: file,
        message: `@${path} names no file, neither here nor in the package`,
        fix: 'correct the path; it is read where the agent works',
      };
    }
  }
}

/** A file that a prompt mentions for Claude Code to read: it has a folder or an extension. */
export const MENTION = /(?<=^|[\s(])@((?:\.{1,2}\/)?[\w-][\w.-]*(?:\/[\w.-]+)*\.[A-Za-z]\w{0,5})(?=$|[\s),;:.!?])/gm;

/** Where it begins, and what it holds. */
export const PACKAGE_RULES: readonly Rule[] = [
  {
    id: 'no-entry-point',
    severity: 'error',
    says: 'The package has no state with which a run begins.',
    why: 'A run begins at 1_START or START. A package without one can only be started by naming a state: raymond start flow/PLAN.md.',
    check: (analysis) => entryProblem(analysis, 'no-entry', 'unknown-state', 'wrong-platform'),
  },
  {
    id: 'ambiguous-entry-point',
    severity: 'error',
    says: 'The package has two states with which a run could begin.',
    why: 'Both 1_START and START are there. Remove or rename one, or start one by name.',
    check: (analysis) => entryProblem(analysis, 'two-entries'),
  },
  {
    id: 'unreachable-state',
    severity: 'warning',
    says: 'No way leads to the state.',
    why: 'Ways are followed from the entry along all tags and policies, returns of calls included. Nothing is said when a state that can be reached computes its target: it may lead anywhere.',
    check: unreachable,
  },
  {
    id: 'unused-file',
    severity: 'info',
    says: 'The package holds a file that no state names.',
    why: 'It travels with every run. Files for people (README, LICENSE) and tests are no matter.',
    check: unusedFiles,
  },
  {
    id: 'name-case',
    severity: 'warning',
    says: 'Names differ only in case, or are not found because of it.',
    why: 'Names are compared exactly, on every system. What differs only in case is one file on macOS and Windows; a state is looked for with a lower-case extension; an entry point is called START in capitals.',
    check: nameCases,
  },
  {
    id: 'nesting-too-deep',
    severity: 'warning',
    says: 'Calls of other workflows go deeper than a run allows.',
    why: `<call-workflow> and <function-workflow> may lie ${MAX_DEPTH} deep in each other; the next one is a mistake of the state that writes it.`,
    check: nesting,
  },
  {
    id: 'missing-mention',
    severity: 'warning',
    says: 'A prompt mentions a file that is not there.',
    why: 'Claude Code reads files that a prompt mentions as @path, from where the agent works. This one is neither in the current folder nor in the package, and no other state speaks of it.',
    check: mentionsLost,
  },
];
