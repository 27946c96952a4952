// Rules about the attributes of tags in texts, scripts and policies: which ones a tag takes, and which values they accept.
import { nameConflict } from '../../../protocol/language/attribute-names.js';
import { CONFLICTS } from '../../../protocol/language/problem.js';
import { executorOf } from '../../../protocol/language/resolve.js';
import { isOwnAttribute, TAG_RULES } from '../../../protocol/language/tag-table.js';
import { comparedKeys, entryProblem } from '../../../protocol/language/policy.js';
import type { TagName } from '../../../protocol/language/tag.js';
import { nearest } from '../../../protocol/text.js';
import { hasComputedAttributes, isComputed, displayText, type Mention, type SourceAttribute } from '../../mention.js';
import { allEdges, type StateNode } from '../../graph.js';
import { computedParts, mentionsOf, plainText, scriptsOf } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { timeoutNextAlone } from './assigned-attributes.js';
import { lonelyTimeoutNext } from './timeout-attribute-rules.js';
import { bucketsWithSlots } from '../files/ask-file-rules.js';
import { slotsWithComma } from './list-values.js';
import { attributesOfPrint } from './tag-form-rules.js';

interface AttributeUse {
  readonly state: StateNode;
  readonly mention: Mention;
  readonly name: string;
  readonly attribute: SourceAttribute;
}

function* attributesOf(analysis: Analysis): Generator<AttributeUse> {
  for (const { state, mention } of mentionsOf(analysis))
    for (const [name, attribute] of mention.attributes) yield { state, mention, name, attribute };
}

function acceptsAttribute(tag: TagName, name: string): boolean {
  return acceptedAttributes(tag).includes(name);
}

function acceptedAttributes(tag: TagName): readonly string[] {
  const { needs, mayName, takes: others } = TAG_RULES[tag];
  return [...needs, ...mayName, ...others];
}

/** The values of `task` by tag; on `<fork>`, any other value is a custom attribute. */
const TASKS: Readonly<Partial<Record<TagName, readonly string[]>>> = {
  reset: ['new'],
  'reset-workflow': ['new'],
  'fork-workflow': ['new', 'inherit'],
};

function* unsupportedCd(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, mention, name, attribute } of attributesOf(analysis))
    if (name === 'cd' && !acceptsAttribute(mention.tag, name))
      yield {
        at: attribute.at,
        state: state.file,
        mention,
        message: `<${mention.tag}> does not take cd: the directory does not change`,
        fix: `remove it, or use ${CD_TAGS.join(', ')}`,
      };
}

const CD_TAGS = Object.entries(TAG_RULES).flatMap(([tag, rule]) => (rule.takes.includes('cd') ? [`<${tag}>`] : []));

function* unsupportedTasks(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, mention, name, attribute } of attributesOf(analysis)) {
    if (name !== 'task' || mention.tag === 'fork') continue;
    const values = TASKS[mention.tag];
    if (values === undefined)
      yield {
        at: attribute.at,
        state: state.file,
        mention,
        message: `<${mention.tag}> does not take task`,
        fix: 'remove it',
      };
    else if (attribute.value === 'inherit' && !values.includes('inherit'))
      yield {
        at: attribute.valueAt,
        state: state.file,
        mention,
        message: `task="inherit" has no effect: <${mention.tag}> keeps the task folder anyway`,
        fix: 'remove it, or write task="new" for a new task folder',
      };
  }
}

function* invalidTasks(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, mention, name, attribute } of attributesOf(analysis)) {
    const values = TASKS[mention.tag];
    if (name !== 'task' || values === undefined || isComputed(attribute.value)) continue;
    if (values.includes(attribute.value) || attribute.value === 'inherit') continue;
    const expected = values.map((value) => `"${value}"`).join(' or ');
    const message = `task takes ${expected}, not "${attribute.value}"`;
    yield { at: attribute.valueAt, state: state.file, message, mention };
  }
}

function* badValues(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, mention } of mentionsOf(analysis)) {
    const values = Object.fromEntries([...mention.attributes].map(([name, { value }]) => [name, value]));
    const { tag } = mention;
    const problem =
      mention.source === 'policy' ? entryProblem({ tag, attributes: values }) : TAG_RULES[tag].problem(values);
    const attribute = problem && mention.attributes.get(problem.attribute);
    if (problem === undefined || attribute === undefined || problem.attribute === 'task') continue;
    const isPartial = isComputed(attribute.value);
    if (isPartial && !hasWrongUnit(attribute.value, problem.attribute)) continue;
    const message = `${problem.attribute}="${displayText(attribute.value)}" is not valid; expected ${problem.expected}`;
    // A value may come from another line; the tag is here.
    const at = attribute.valueAt.line === attribute.at.line ? attribute.valueAt : attribute.at;
    yield { at, state: state.file, message, mention, ...(isPartial ? { severity: 'warning' } : {}) };
  }
}

/** True for a duration of which only the number is known at run time, with a unit that does not exist. */
function hasWrongUnit(value: string, name: string): boolean {
  const [, unit] = /^[\d.\s]*(?:\uE000|\{\{\w+\}\})[\d.]*([^\uE000{}]*)$/.exec(value) ?? [];
  return /^(?:delay|timeout)$/.test(name) && unit !== undefined && !/^[smhdw]?$/.test(unit);
}

function* unknown(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, mention } of mentionsOf(analysis)) {
    for (const [name, attribute] of mention.attributes) {
      const problem = attributeProblem(mention, { name, attribute });
      if (problem !== undefined && !isReadAs(analysis, { name, mention })) yield { ...problem, state: state.file };
    }
    const malformed = mention.stray ?? computedIn(mention.malformed?.value);
    if (malformed !== undefined && !hasComputedAttributes(mention) && !quotesValues(state, malformed))
      yield {
        at: mention.at,
        state: state.file,
        message: `"${displayText(malformed)}" in <${mention.tag}> is not an attribute`,
        fix: 'write name="value"',
      };
  }
}

/** True for an attribute that the prompt to which its tag leads uses, though no script could. */
function isReadAs(
  { graph }: Analysis,
  { name, mention }: { readonly name: string; readonly mention: Mention },
): boolean {
  return allEdges(graph).some(({ mention: one, role, to }) => {
    const source = one === mention && role === 'target' && to.kind === 'state' && graph.states.get(to.file)?.source;
    return source && source.kind === 'prompt' && source.prompt.body.text.includes(`{{${name}}}`);
  });
}

/** True for attributes without quotes in a script with a function that puts values in quotes. */
function quotesValues(state: StateNode, malformed: string): boolean {
  const isBare = /^(?:\s*[\w-]+=\uE000)+\s*$/.test(malformed);
  return isBare && /\b\w*(?:quot|attr)\w*\(|\bjson\.dumps\(|\bJSON\.stringify\(/i.test(plainText(state));
}

function computedIn(value: string | undefined): string | undefined {
  return value !== undefined && isComputed(value) ? value : undefined;
}

function attributeProblem(
  { tag, source, fenced }: Mention,
  { name, attribute }: { readonly name: string; readonly attribute: SourceAttribute },
): FindingDetails | undefined {
  const { at, value } = attribute;
  const known = source === 'policy' ? [...comparedKeys(tag), ...acceptedAttributes(tag)] : acceptedAttributes(tag);
  if (name === 'cd' && value === '' && known.includes(name))
    return { at, message: 'cd is empty and has no effect', fix: 'give it a directory, or remove it' };
  if (known.includes(name) || name === 'cd' || name === 'task' || isComputed(name)) return undefined;
  const suggestion = tag === 'fork' ? undefined : nearest(name, known);
  if (isOwnAttribute(tag, name) && MEANT_DELAY.test(name) && DURATION.test(value) && known.includes('delay'))
    return {
      at,
      message: `<${tag}> does not wait: ${name} is only passed on to the next state`,
      fix: 'write delay',
      edit: { kind: 'replace', at, old: name, text: 'delay' },
    };
  if (isOwnAttribute(tag, name) && suggestion === undefined) {
    if (/^[A-Za-z_]\w*$/.test(name) || source === 'policy') return undefined;
    return {
      at,
      message: `the attribute ${name} is available to prompts as {{${name}}}, but not to scripts: it is not a valid variable name`,
      fix: 'use letters, digits and _',
    };
  }
  // The example in a code fence may be of another language, such as XML.
  if (fenced && suggestion === undefined) return undefined;
  const message = `<${tag}> does not take ${name} (it takes ${known.length === 0 ? 'no attributes' : known.join(', ')})`;
  if (suggestion === undefined) return { at, message, fix: 'remove it' };
  return { at, message, fix: `write ${suggestion}`, edit: { kind: 'replace', at, old: name, text: suggestion } };
}

const MEANT_DELAY = /^(?:wait|pause|sleep|after|interval|every)$/;
const DURATION = /^\d+(?:\.\d+)?\s*(?:s|m|h|d|w|sec|min)$/;

function* conflicts(analysis: Analysis): Generator<FindingDetails> {
  const host = { names: new Set<string>(), platform: analysis.graph.source.folder.platform };
  for (const { file: state, edges } of analysis.graph.states.values()) {
    for (const { tag, role, to, mention } of edges) {
      if (!TAG_RULES[tag].free || role !== 'target' || to.kind !== 'state' || executorOf(to.file) === 'prompt')
        continue;
      for (const [name, { at }] of mention.attributes) {
        if (!isOwnAttribute(tag, name)) continue;
        const conflict = nameConflict(name, host);
        if (conflict === undefined && /^RAYMOND_/i.test(name))
          yield {
            at,
            state,
            mention,
            severity: 'warning',
            message: `${to.file} does not get the attribute ${name}: names that begin with RAYMOND_ are not passed to scripts`,
            fix: `choose another name, for example ${name.slice(8).toLowerCase()}`,
          };
        if (conflict === undefined) continue;
        const message = `the attribute ${name} cannot be a variable of ${to.file}: it ${CONFLICTS[conflict]}`;
        yield { at, state, message, mention, fix: `choose another name, for example my_${name.toLowerCase()}` };
      }
    }
  }
}

const SECRET_NAME = /(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?)$/i;

function* secretsInTags(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of scriptsOf(analysis)) {
    const variables = new Map(source.script.shell?.variables.map(({ name, at }) => [at, name]));
    for (const { offset } of computedParts(source.script)) {
      const name = variables.get(source.script.shell?.origins.get(offset) ?? offset) ?? variables.get(offset);
      if (name !== undefined && SECRET_NAME.test(name))
        yield {
          at: source.raw.at(offset),
          state: file,
          message: `the value of ${name} is written into a tag, and so into Temporal's history and the files of the run`,
          fix: 'read it from the environment in the next state',
        };
    }
  }
}

/** `label:path` in display_files, which takes `path:label`. */
function* swappedFiles(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, name, attribute } of attributesOf(analysis)) {
    if (name !== 'display_files' || isComputed(attribute.value)) continue;
    for (const entry of attribute.value.split(',')) {
      const [path = '', label = ''] = entry.split(':').map((part) => part.trim());
      if (!isPath(label) || isPath(path) || entry.split(':').length !== 2) continue;
      yield {
        at: attribute.valueAt,
        state: state.file,
        message: `display_files shows the file "${path}" with the label "${label}"; the path comes first`,
        fix: `write ${label}:${path}`,
      };
    }
  }
}

function isPath(text: string): boolean {
  return /^[^\s]*(?:\/[^\s]+|[\w-]\.[a-z]\w{0,4})$/i.test(text);
}

/** Rules about attributes. */
export const ATTRIBUTE_RULES: readonly Rule[] = [
  {
    id: 'unsupported-cd-attribute',
    severity: 'warning',
    summary: 'A tag has the attribute cd, but this kind of tag cannot change the working directory.',
    why: 'The directory does not change, and the next states work in the wrong directory. Only a fresh context can start in another directory: use <reset>, <fork>, <reset-workflow> or <fork-workflow>.',
    check: unsupportedCd,
  },
  {
    id: 'invalid-task-value',
    severity: 'error',
    summary:
      'The attribute task of <reset>, <reset-workflow> or <fork-workflow> has a value other than new and inherit.',
    why: 'task="new" gives a new task folder; on <fork-workflow> task="inherit" shares the one of the parent. On <fork>, any other task is a custom attribute.',
    check: invalidTasks,
  },
  {
    id: 'unsupported-task-attribute',
    severity: 'warning',
    summary:
      'The attribute task has no effect, because this kind of tag never gives an agent a new task folder, or because task="inherit" is on a tag that keeps the task folder anyway.',
    why: 'Only <reset>, <fork>, <reset-workflow> and <fork-workflow> can start with a new task folder; a reset keeps its folder by default.',
    check: unsupportedTasks,
  },
  {
    id: 'bad-attribute-value',
    severity: 'error',
    summary: 'An attribute has a value that is not valid, such as a delay that is not a duration.',
    why: 'delay and timeout take durations such as 90, 60s, 1.5m, 2h, 7d; timeout_next needs a timeout; docs/reference/language/ask.md describes the attributes of files.',
    check: (analysis) => [
      ...badValues(analysis),
      ...bucketsWithSlots(analysis),
      ...slotsWithComma(analysis),
      ...timeoutNextAlone(analysis),
      ...lonelyTimeoutNext(analysis),
    ],
  },
  {
    id: 'swapped-display-file',
    severity: 'warning',
    summary:
      'In the attribute display_files, which lists the files that an <ask> shows, an entry has the label before the path, but must be path:label.',
    why: 'An entry is path:label. With the parts swapped, Raymond looks for a file with the name of the label, and the question shows nothing.',
    check: swappedFiles,
  },
  {
    id: 'unknown-attribute',
    severity: 'warning',
    summary:
      'A tag has an attribute that has no meaning in this kind of tag, or whose name is nearly the name of an attribute that Raymond knows.',
    why: 'It is most often misspelt. <goto>, <reset>, <call>, <function> and <fork> pass attributes of your own to the next state; a name that another tag takes, such as cd on <goto>, has no effect.',
    check: (analysis) => [...unknown(analysis), ...attributesOfPrint(analysis)],
  },
  {
    id: 'unusable-attribute-name',
    severity: 'error',
    summary:
      'A tag that leads to a script has an attribute of your own, such as PATH, that cannot become a variable of the script.',
    why: 'Loaders, shells, interpreters and tools read settings from variables such as PATH, LD_PRELOAD, BASH_ENV, NODE_OPTIONS and http_proxy. A run rejects such an attribute, and any upper-case one that the environment already has. Names with a lower-case letter are safe.',
    check: conflicts,
  },
  {
    id: 'secret-in-tag',
    severity: 'warning',
    summary:
      'A script writes the value of a variable such as API_TOKEN into a tag, and the history of the run records tags.',
    why: 'The content of a tag is recorded in the history of the run and in its debug files. Every state has the same environment and can read the variable itself.',
    check: secretsInTags,
  },
];
