// Invariant I9: the workflow code as built replays the stored histories of every released version, and would notice a difference.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { temporal } from '@temporalio/proto';
import { installRuntime } from '../../dist/client/connect.js';
import { KINDS } from './kinds.mjs';
import { payloadsIn } from './recording.mjs';
import { byNode } from '../support/by-node.js';

const { Worker } = await byNode('@temporalio/worker');
const { DeterminismViolationError } = await byNode('@temporalio/workflow');
const { default: proto } = await byNode('@temporalio/proto');

type Stored = temporal.api.history.v1.IHistory;
type Event = temporal.api.history.v1.IHistoryEvent;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HISTORIES = join(ROOT, 'test', 'replay', 'histories');
const OPTIONS = { workflowBundle: { codePath: join(ROOT, 'dist', 'workflow-bundle.js') } };

const versions = readdirSync(HISTORIES).sort();
const names = versions.flatMap((version) => readdirSync(join(HISTORIES, version)).map((name) => join(version, name)));
const textOf = (name: string): string => readFileSync(join(HISTORIES, name), 'utf8');

function stored(name: string, edit: (event: Event) => void = () => undefined): { workflowId: string; history: Stored } {
  const history = JSON.parse(textOf(name)) as Stored;
  history.events?.forEach(edit);
  const workflowId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? '';
  return { workflowId, history: proto.temporal.api.history.v1.History.fromObject(history) };
}

// A replay that fails is reported by its error, not by the log.
beforeAll(async () => void (await installRuntime(() => undefined)));

describe('the stored histories', () => {
  test('are there for every kind of run, in the present version', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const kinds = KINDS.map(({ kind }) => kind);
    const told = 'run "npm run build && node scripts/record-histories.mjs"';
    const missing = kinds.filter((kind) => !names.some((name) => kindOf(name) === `${version}/${kind}`));
    expect({ missing, told }).toEqual({ missing: [], told });
  });

  test.each(names)('%s names no place but its own folder, and no host', (name) => {
    const text = textOf(name);
    for (const words of [text, ...payloadsIn(text)]) {
      expect(words).not.toMatch(/(?<![\w.:/<])\/(?!\w+\/raymond-histories-\w+\/)[\w.-]+\/\w/);
      expect(words).not.toMatch(/\b\d+@(?!host\b)\w/);
    }
  });
});

describe('the workflow code replays', () => {
  const results = new Map<string, Error | undefined>();
  beforeAll(async () => {
    const rest = [...names];
    for await (const { error } of Worker.runReplayHistories(
      OPTIONS,
      names.map((name) => stored(name)),
    )) {
      results.set(rest.shift() ?? '', error);
    }
  }, 300_000);

  test.each(names)('%s', (name) => {
    expect(results.has(name)).toBe(true);
    expect(results.get(name)).toBeUndefined();
  });
});

describe('a history that our code would not have made is found out', () => {
  const version = versions.at(-1) ?? '';

  test.each<[string, string, (event: Event) => void]>([
    [
      'a turn by another activity',
      'goto.agent.json',
      ({ activityTaskScheduledEventAttributes: turn }) => {
        if (turn?.activityType) turn.activityType.name = 'runSomethingElse';
      },
    ],
    [
      'an agent of another name',
      'fork.agent.json',
      ({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => {
        if (child) child.workflowId = 'fork/main_other9';
      },
    ],
    [
      'a run of another agent',
      'goto.run.json',
      ({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => {
        if (child) child.workflowId = 'goto/other';
      },
    ],
  ])('%s', async (_what, file, edit) => {
    const { history, workflowId } = stored(join(version, file), edit);
    await expect(Worker.runReplayHistory(OPTIONS, history, workflowId)).rejects.toBeInstanceOf(
      DeterminismViolationError,
    );
  });
});

/** `0.1.0/continued` for `0.1.0/continued-2.run.json`: the longest kind that the name begins with. */
function kindOf(name: string): string | undefined {
  const [version, file = ''] = name.split('/');
  const kinds = KINDS.map(({ kind }) => kind).filter((kind) => new RegExp(`^${kind}[-.]`).test(file));
  const [kind] = kinds.sort((one, other) => other.length - one.length);
  return kind === undefined ? undefined : `${version ?? ''}/${kind}`;
}
