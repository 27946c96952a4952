// Rules about the attributes of tags, in texts, scripts and policies alike: which a tag takes, and what their values may be.
import { nameConflict } from '../../protocol/language/attribute-names.js';
import { CONFLICTS } from '../../protocol/language/problem.js';
import { executorOf } from '../../protocol/language/resolve.js';
import { TAG_RULES } from '../../protocol/language/tag-table.js';
import { comparedKeys } from '../../protocol/language/policy.js';
import type { TagName } from '../../protocol/language/tag.js';
import { nearest } from '../../protocol/text.js';
import { isComputed, shown, type Mention, type WrittenAttribute } from '../mention.js';
import type { StateNode } from '../graph.js';
import { computedParts, mentionsOf, scriptsOf } from './helpers.js';
import type { Analysis, Found, Rule } from './rule.js';

interface Placed {
  readonly state: StateNode;
  readonly mention: Mention;
  readonly name: string;
  readonly attribute: WrittenAttribute;
}

function* attributesOf(analysis: Analysis): Generator<Placed> {
  for (const { state, mention } of mentionsOf(analysis))
    for (const [name, attribute] of mention.attributes) yield { state, mention, name, attribute };
}

function takes(tag: TagName, name: string): boolean {
  return knownOf(tag).includes(name);
}

function knownOf(tag: TagName): readonly string[] {
  const { needs, mayName, takes: others } = TAG_RULES[tag];
  return [...needs, ...mayName, ...others];
}

/** The values of `task`, by the tags that take it; on `<fork>` any other value is the author's own attribute. */
const TASKS: Readonly<Partial<Record<TagName, readonly string[]>>> = {
  reset: ['new'],
  'reset-workflow': ['new'],
  'fork-workflow': ['new', 'inherit'],
};

function* cds(analysis: Analysis): Generator<Found> {
  for (const { state, mention, name, attribute } of attributesOf(analysis))
    if (name === 'cd' && !takes(mention.tag, name))
      yield {
        at: attribute.at,
        state: state.file,
        message: `<${mention.tag}> does not take cd: the directory stays as it is`,
        fix: `remove it, or use ${CD_TAGS.join(', ')}`,
      };
}

const CD_TAGS = Object.entries(TAG_RULES).flatMap(([tag, rule]) => (rule.takes.includes('cd') ? [`<${tag}>`] : []));

function* unsupportedTasks(analysis: Analysis): Generator<Found> {
  for (const { state, mention, name, attribute } of attributesOf(analysis)) {
    if (name !== 'task' || mention.tag === 'fork') continue;
    const values = TASKS[mention.tag];
    if (values === undefined)
      yield { at: attribute.at, state: state.file, message: `<${mention.tag}> does not take task`, fix: 'remove it' };
    else if (attribute.value === 'inherit' && !values.includes('inherit'))
      yield {
        at: attribute.valueAt,
        state: state.file,
        message: `<${mention.tag}> stays in its task folder without task="inherit"`,
        fix: 'remove it, or write task="new"',
      };
  }
}

function* invalidTasks(analysis: Analysis): Generator<Found> {
  for (const { state, mention, name, attribute } of attributesOf(analysis)) {
    const values = TASKS[mention.tag];
    if (name !== 'task' || values === undefined || isComputed(attribute.value)) continue;
    if (values.includes(attribute.value) || attribute.value === 'inherit') continue;
    const expected = values.map((value) => `"${value}"`).join(' or ');
    yield { at: attribute.valueAt, state: state.file, message: `task takes ${expected}, not "${attribute.value}"` };
  }
}

function* badValues(analysis: Analysis): Generator<Found> {
  for (const { state, mention } of mentionsOf(analysis)) {
    const given = Object.fromEntries([...mention.attributes].map(([name, { value }]) => [name, value]));
    const wrong = TAG_RULES[mention.tag].problem(given);
    const attribute = wrong && mention.attributes.get(wrong.attribute);
    if (wrong === undefined || attribute === undefined || wrong.attribute === 'task' || isComputed(attribute.value))
      continue;
    const message = `${wrong.attribute}="${attribute.value}" cannot be understood; it takes ${wrong.expected}`;
    yield { at: attribute.valueAt, state: state.file, message };
  }
}

function* unknown(analysis: Analysis): Generator<Found> {
  for (const { state, mention } of mentionsOf(analysis)) {
    for (const [name, attribute] of mention.attributes) {
      const found = strange(mention, { name, attribute });
      if (found !== undefined) yield { ...found, state: state.file };
    }
    const words = mention.stray ?? computedIn(mention.malformed?.value);
    if (words !== undefined)
      yield {
        at: mention.at,
        state: state.file,
        message: `"${shown(words)}" in <${mention.tag}> is no attribute`,
        fix: 'write name="value"',
      };
  }
}

function computedIn(value: string | undefined): string | undefined {
  return value !== undefined && isComputed(value) ? value : undefined;
}

function strange(
  { tag, source }: Mention,
  { name, attribute }: { readonly name: string; readonly attribute: WrittenAttribute },
): Found | undefined {
  const { at, value } = attribute;
  const known = source === 'policy' ? [...comparedKeys(tag), ...knownOf(tag)] : knownOf(tag);
  if (name === 'cd' && value === '' && known.includes(name))
    return { at, message: 'cd is empty and has no effect', fix: 'give it a directory, or remove it' };
  if (known.includes(name) || name === 'cd' || name === 'task' || isComputed(name)) return undefined;
  if (TAG_RULES[tag].free) {
    if (/^[A-Za-z_]\w*$/.test(name) || source === 'policy') return undefined;
    return {
      at,
      message: `the attribute ${name} reaches prompts as {{${name}}}, but no script: it is no name of a variable`,
      fix: 'use letters, digits and _',
    };
  }
  const near = nearest(name, known);
  const message = `<${tag}> does not take ${name} (it takes ${known.length === 0 ? 'no attributes' : known.join(', ')})`;
  if (near === undefined) return { at, message, fix: 'remove it' };
  return { at, message, fix: `write ${near}`, edit: { kind: 'replace', at, old: name, text: near } };
}

function* conflicts(analysis: Analysis): Generator<Found> {
  const host = { names: new Set<string>(), platform: analysis.graph.source.folder.platform };
  for (const { file: state, edges } of analysis.graph.states.values()) {
    for (const { tag, role, to, mention } of edges) {
      if (tag !== 'fork' || role !== 'target' || to.kind !== 'state' || executorOf(to.file) === 'prompt') continue;
      for (const [name, { at }] of mention.attributes) {
        const conflict = nameConflict(name, host);
        if (conflict === undefined) continue;
        const message = `the attribute ${name} cannot be a variable of ${to.file}: it ${CONFLICTS[conflict]}`;
        yield { at, state, message, fix: `choose another name, for example my_${name.toLowerCase()}` };
      }
    }
  }
}

const SECRET_NAME = /(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?)$/i;

function* secretsInTags(analysis: Analysis): Generator<Found> {
  for (const { source, file } of scriptsOf(analysis)) {
    const uses = new Map(source.script.shell?.variables.map(({ name, at }) => [at, name]));
    for (const { offset } of computedParts(source.script)) {
      const name = uses.get(offset);
      if (name !== undefined && SECRET_NAME.test(name))
        yield {
          at: source.raw.at(offset),
          state: file,
          message: `the value of ${name} goes into a tag, and so into Temporal's history and the files of the run`,
          fix: 'let the next state read it from its environment',
        };
    }
  }
}

/** What tags carry. */
export const ATTRIBUTE_RULES: readonly Rule[] = [
  {
    id: 'unsupported-cd-attribute',
    severity: 'error',
    says: 'A tag has cd that does not take it.',
    why: 'The directory stays as it is, and the next states work in the wrong place. A fresh context can begin in another directory: <reset>, <fork> and their forms for other workflows.',
    check: cds,
  },
  {
    id: 'invalid-task-value',
    severity: 'error',
    says: 'task has a value that it does not take.',
    why: 'task="new" gives a new task folder; on <fork-workflow> task="inherit" keeps that of the parent. On <fork> any other task is an attribute of your own.',
    check: invalidTasks,
  },
  {
    id: 'unsupported-task-attribute',
    severity: 'error',
    says: 'A tag has task that does not take it.',
    why: 'Only <reset>, <fork> and their forms for other workflows begin something that could have a task folder of its own; a reset inherits without being told.',
    check: unsupportedTasks,
  },
  {
    id: 'bad-attribute-value',
    severity: 'error',
    says: 'The value of an attribute cannot be understood.',
    why: 'delay and timeout take durations such as 90, 60s, 1.5m, 2h, 7d; timeout_next needs a timeout; the attributes of files have forms of their own (docs/language.md).',
    check: badValues,
  },
  {
    id: 'unknown-attribute',
    severity: 'warning',
    says: 'A tag does not take the attribute.',
    why: 'It has no effect, most often because it is misspelt. On <fork> unknown attributes are your own and reach the new agent.',
    check: unknown,
  },
  {
    id: 'unusable-attribute-name',
    severity: 'error',
    says: 'A fork gives a script a variable that changes how programs run.',
    why: 'Loaders, shells, interpreters and tools read settings from variables such as PATH, LD_PRELOAD, BASH_ENV, NODE_OPTIONS and http_proxy. A run refuses such an attribute, and any other one in upper case that the environment already has. Names with a lower-case letter are safe.',
    check: conflicts,
  },
  {
    id: 'secret-in-tag',
    severity: 'warning',
    says: 'A script writes a secret into a tag.',
    why: 'What a tag carries is recorded in the history of the run and in its debug files. Every state has the environment; it needs no help to read a variable.',
    check: secretsInTags,
  },
];
