// Rules about how files are read before anything in them counts: encoding, line ends, frontmatter, the head of scripts.
import { implicitTag } from '../../protocol/language/policy.js';
import { executorOf } from '../../protocol/language/resolve.js';
import type { Fault } from '../prompt-source.js';
import { promptsOf, scriptsOf, statesOf } from './helpers.js';
import type { Analysis, Found, Rule } from './rule.js';

/** What is wrong with an entry of a policy itself; what its attributes hold, other rules find as they do in texts. */
const OF_ENTRIES: readonly unknown[] = [undefined, 'tag', 'target', 'return', 'next'];

function isElsewhere({ path: [first, , attribute] }: Fault): boolean {
  return first === 'model' || first === 'effort' || first === '#!' || !OF_ENTRIES.includes(attribute);
}

function* faults(analysis: Analysis): Generator<Found> {
  for (const { text, at } of analysis.graph.source.manifest?.faults ?? []) yield { at, message: text };
  for (const { source, file } of [...promptsOf(analysis), ...scriptsOf(analysis)]) {
    const told = source.kind === 'prompt' ? source.prompt.faults : source.faults;
    for (const fault of told)
      if (!isElsewhere(fault)) yield { at: placed(fault, analysis), message: fault.text, state: file };
  }
}

/** At the key itself, where there is one. */
function placed({ at, path: [first] }: Fault, { graph }: Analysis): Fault['at'] {
  for (const { source } of graph.states.values()) {
    const key = source.kind === 'prompt' ? source.prompt.keys.find(({ key }) => key === first) : undefined;
    if (key !== undefined && key.at.file === at.file && key.at.line === at.line) return key.valueAt;
  }
  return at;
}

function* faultsAt(analysis: Analysis, name: string): Generator<Found> {
  for (const { source, file } of promptsOf(analysis)) {
    const fault = source.prompt.faults.find(({ path: [first] }) => first === name);
    const key = source.prompt.keys.find(({ key }) => key === name);
    if (fault !== undefined) yield { at: key?.valueAt ?? fault.at, message: fault.text, state: file };
  }
}

/** The families of models that there are; which versions exist, only the service knows. */
const FAMILY = /(?:opus|sonnet|haiku|instant|claude-[23v]|claude-(?:fable|mythos))/;

function* strangeModels(analysis: Analysis): Generator<Found> {
  for (const { source, file } of promptsOf(analysis)) {
    const { model, backend } = source.prompt.policy ?? {};
    const key = source.prompt.keys.find(({ key }) => key === 'model');
    if (model === undefined || key === undefined || FAMILY.test(model)) continue;
    // Elsewhere there are other families.
    if (backend === 'pi' || /^arn:|\//.test(model)) continue;
    yield {
      at: key.valueAt,
      message: `"${model}" is none of the families of Claude (opus, sonnet, haiku)`,
      fix: 'check the name',
      state: file,
    };
  }
}

function* unreadable(analysis: Analysis): Generator<Found> {
  for (const { source, file, at } of statesOf(analysis))
    if (source.kind === 'unreadable') yield { at, message: source.why, state: file };
}

function* lost(analysis: Analysis, kind: 'not-closed' | 'not-at-top'): Generator<Found> {
  for (const { source, file } of promptsOf(analysis)) {
    if (source.prompt.lost?.kind !== kind) continue;
    const { at } = source.prompt.lost;
    if (kind === 'not-closed')
      yield {
        at,
        message: 'the frontmatter is never closed',
        fix: 'put a line "---" below its last key, and the prompt below that',
        state: file,
      };
    else
      yield {
        at,
        message: 'the frontmatter has no effect, because it does not begin with "---" in the very first line',
        fix: 'remove what stands before it',
        state: file,
      };
  }
}

function* crlf(analysis: Analysis): Generator<Found> {
  for (const { source, file } of scriptsOf(analysis)) {
    const at = executorOf(file) === 'bash' ? source.raw.text.indexOf('\r\n') : -1;
    if (at < 0) continue;
    const place = source.raw.at(at);
    yield {
      at: place,
      message: 'the line ends with CR LF, and bash takes the CR for a part of the command',
      fix: 'save the file with LF',
      edit: { kind: 'line-ends', file: place.file },
      state: file,
    };
  }
}

function* forced(analysis: Analysis): Generator<Found> {
  for (const { source, file } of promptsOf(analysis)) {
    const { policy, keys } = source.prompt;
    const key = keys.find(({ key }) => key === 'force_implicit');
    if (policy?.forceImplicit !== true || key === undefined || implicitTag(policy, {}) !== undefined) continue;
    yield {
      at: key.at,
      message:
        'force_implicit has no effect: it needs exactly one allowed transition that says everything its tag needs',
      fix: 'complete the entry, or remove the key',
      state: file,
    };
  }
}

/** How files are read. */
export const READING_RULES: readonly Rule[] = [
  {
    id: 'frontmatter-parse-error',
    severity: 'error',
    says: 'A frontmatter, a manifest, a YAML package or the head of a script cannot be understood.',
    why: 'What is wrong stands in the message. A state with such a mistake fails before its turn.',
    check: faults,
  },
  {
    id: 'frontmatter-not-closed',
    severity: 'error',
    says: 'A frontmatter has no second line of dashes.',
    why: 'The block would be sent to the model as text, and the turn would be done without its policy. A rule at the top of a prompt is written ***.',
    check: (analysis) => lost(analysis, 'not-closed'),
  },
  {
    id: 'frontmatter-ignored',
    severity: 'warning',
    says: 'A frontmatter does not stand at the very top of its file.',
    why: 'Only what begins with --- in the first line is frontmatter. Below a title, a comment or a blank line it is a part of the prompt.',
    check: (analysis) => lost(analysis, 'not-at-top'),
  },
  {
    id: 'invalid-model',
    severity: 'error',
    says: 'There is no such model.',
    why: 'A model is opus, sonnet, haiku or a full name with "claude" in it, or an ARN.',
    check: (analysis) => faultsAt(analysis, 'model'),
  },
  {
    id: 'invalid-effort',
    severity: 'error',
    says: 'There is no such effort.',
    why: 'Claude Code ignores an effort that it does not know. It knows low, medium, high, xhigh and max.',
    check: (analysis) => faultsAt(analysis, 'effort'),
  },
  {
    id: 'unknown-model',
    severity: 'warning',
    says: 'The name of a model is like none that is known.',
    why: 'Which models exist, only the service knows, and it says so when the turn begins. A name of another family than opus, sonnet and haiku is most often misspelt.',
    check: strangeModels,
  },
  {
    id: 'force-implicit-invalid',
    severity: 'error',
    says: 'force_implicit stands where no transition can be meant.',
    why: 'It takes the only allowed transition whatever the model replies. So there must be exactly one, and its entry must say all that its tag needs.',
    check: forced,
  },
  {
    id: 'not-utf8',
    severity: 'error',
    says: 'A state cannot be read, most often because it is not UTF-8 text.',
    why: 'Its turn would fail. Save the file as UTF-8.',
    check: unreadable,
  },
  {
    id: 'crlf-script',
    severity: 'error',
    says: 'A bash script has the line ends of Windows.',
    why: 'bash takes the CR at the end of a line for a part of the command: set -e becomes an unknown option, fi is not found.',
    check: crlf,
  },
];
