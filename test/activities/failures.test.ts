// Every row of the failure table that a turn may end with, produced by the real thing that it stands for. What workflows alone make
// (questions, budgets of a run, lost runs), or the codec, is tested with them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { asFailure } from '../../dist/activities/failure.js';
import { git } from '../../dist/workspaces/git.js';
import { ruleOf, type FailureType } from '../../src/protocol/failure.js';
import type { BucketSettings } from '../../src/store/open.js';
import type { FakeClaude, FakeRule } from '../support/fake-claude.js';
import { fakeClaude } from '../support/fake-claude.js';
import { folder } from '../support/folder.js';
import { byNode } from '../support/by-node.js';
import { until } from '../support/until.js';
import type { WorkerContextSettings } from '../../src/activities/settings.js';
import { TestWorker, failureOf, type TurnOptions } from './test-worker.js';

/** Only the workflows make these, or the codec, or what is about workspaces (test/e2e/workspaces.test.ts), or they take a limiter; or turn/trouble.test.ts has them, or sandbox/limits.test.ts. */
type OfOthers =
  | 'LeaseWanted'
  | 'PausedByOperator'
  | 'AskTimedOut'
  | 'AskRejected'
  | 'AwaitTimedOut'
  | 'AnswerRefused'
  | 'ProtocolError'
  | 'RunGone'
  | 'WorkflowReset'
  | 'StoreUnreachable'
  | 'RunFailed'
  | 'Refused'
  | 'HostLost'
  | 'WorkspaceMoved'
  | 'RepositoryUnusable'
  | 'PrepareFailed'
  | 'SnapshotTooLarge'
  | 'HostTrouble'
  | 'LimitExceeded';

/** A situation: what Claude does, what the turn is, what is done while it runs. */
interface Situation {
  readonly claude?: FakeRule;
  readonly script?: string;
  readonly prompt?: string;
  readonly turn?: TurnOptions;
  readonly settings?: Partial<WorkerContextSettings>;
  readonly artifactDir?: () => Promise<string>;
  readonly bucket?: BucketSettings;
  readonly meanwhile?: 'worker shutdown';
}

const PROMPT = { agent: { state: 'P.md' } };
const inOneHour = Math.ceil(Date.now() / 1000) + 3600;

const SITUATIONS: Readonly<Record<Exclude<FailureType, OfOthers>, Situation>> = {
  WorkerLost: { script: 'echo up\nsleep 300\n', meanwhile: 'worker shutdown' },
  ClaudeFailed: { claude: { noResult: true, exitCode: 1, stderr: 'broke' } },
  ApiTrouble: { claude: { isError: true, apiErrorStatus: 529, assistantError: 'overloaded', text: 'Overloaded' } },
  RateLimited: { claude: { isError: true, apiErrorStatus: 429, text: 'Too many requests' } },
  UsageLimit: { claude: { isError: true, rateLimit: { status: 'rejected', resetsAt: inOneHour } } },
  NoCredentials: { turn: PROMPT, settings: { accounts: [{ name: 'a', command: 'echo broken >&2; exit 3' }] } },
  NeedsPerson: { claude: { isError: true, assistantError: 'billing_error', text: 'Credit balance is too low' } },
  ClaudeRefused: { claude: { isError: true, assistantError: 'model_not_found', text: 'no such model' } },
  ScriptFailed: { script: 'exit 1\n' },
  StateUnreadable: { turn: { agent: { state: 'NONE.sh' } } },
  InvalidState: { prompt: '---\nmodel: gpt 4\n---\nHi.\n' },
  ArtifactMissing: { turn: { agent: { pending: { value: { sha256: 'b'.repeat(64), bytes: 1 }, returning: false } } } },
  StoreDamaged: {
    turn: { agent: { pending: { value: { sha256: 'b'.repeat(64), bytes: 1 }, returning: false } } },
    artifactDir: () => folder({ [`bb/${'b'.repeat(64)}`]: '' }),
  },
  AnswerUnusable: {
    turn: {
      agent: {
        pending: {
          value: 'yes',
          returning: false,
          askId: 'ask_main_1',
          files: [{ name: 'a', sha256: 'b'.repeat(64) }],
        },
      },
    },
  },
  DiskTrouble: {
    script: `echo "<result>$(head -c 40000 /dev/zero | tr '\\0' x)</result>"\n`,
    artifactDir: async () => join(await folder({ file: '' }), 'file', 'artifacts'),
  },
  // Nobody has given keys for it.
  StoreRefused: { bucket: { address: 's3://bucket', cwd: '/', cacheBytes: 1 << 20 } },
  OverBudget: { claude: { isError: true, subtype: 'error_max_budget_usd', costUsd: 0.5 } },
  // The run gives out no such allowance; a turn that gets one nevertheless must not run without a limit.
  Unforeseen: { turn: { ...PROMPT, allowanceUsd: 0 } },
};

let fake: FakeClaude;
beforeEach(async () => {
  fake = await fakeClaude();
});
afterEach(async () => {
  await fake.close();
});

test.each(Object.entries(SITUATIONS))('%s', async (type, situation) => {
  const { claude, script = 'echo "<result>ok</result>"\n', prompt = 'Do it.\n', turn, artifactDir, bucket } = situation;
  if (claude !== undefined) await fake.setRules([claude]);
  const settings = {
    ...situation.settings,
    ...(artifactDir && { artifactDir: await artifactDir() }),
    ...(bucket && { bucket }),
  };
  const worker = await TestWorker.with({ 'START.sh': script }, { environment: { ...fake.env }, settings });
  await writeFile(join(worker.scope, 'P.md'), prompt);
  const isPrompt = claude !== undefined || situation.prompt !== undefined;
  const playing = worker.play(turn ?? (isPrompt ? PROMPT : {}));
  if (situation.meanwhile !== undefined) {
    await until(() => worker.progress.some(({ kind }) => kind === 'said'), { what: 'the script' });
    playing.end(situation.meanwhile);
  }
  // Only what the loss of a worker broke off is for Temporal to try again: everything else is the agent's to judge.
  expect(await failureOf(playing.report)).toMatchObject({ type, retryable: type === 'WorkerLost' });
});

test('a prompt for which there is no room where temporary files go is not begun, and paused until there is', async () => {
  const fake = await fakeClaude({ rules: [{ text: '<result>ok</result>' }] });
  const worker = await TestWorker.with({ 'START.md': 'Do it.\n' }, { environment: { ...fake.env } });
  const { env } = (await byNode('node:process')).default;
  const before = env['TMPDIR'];
  env['TMPDIR'] = join(worker.cwd, 'nowhere');
  try {
    expect(await failureOf(worker.turn({ agent: { state: 'START.md' } }))).toMatchObject({
      type: 'DiskTrouble',
      message: expect.stringMatching(
        /main, START\.md on host .*its input cannot be kept in .*nowhere: make room there or set TMPDIR/,
      ),
      costUsd: 0,
    });
  } finally {
    if (before === undefined) delete env['TMPDIR'];
    else env['TMPDIR'] = before;
    await fake.close();
  }
});

test('what git cannot do on a host, such as write, is tried again and then pauses the agent: it is no fault of the agent', async () => {
  const cwd = await folder();
  const error: unknown = await git(['rev-parse', 'HEAD'], { cwd, env: process.env }).catch((thrown: unknown) => thrown);
  const { type, message } = asFailure(error, 'the workspace of main on host h1');
  expect({ type, message }).toEqual({
    type: 'RepositoryUnusable',
    message: expect.stringMatching(
      /^the workspace of main on host h1: git rev-parse HEAD: fatal: not a git repository/,
    ),
  });
  expect(ruleOf('RepositoryUnusable')).toMatchObject({ then: 'pause', retry: { tries: 4 } });
});
