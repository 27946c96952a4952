// A fake Claude per test, removed when the test file is done, and what tests ask of a run on it. Calls of one test never mix with another's.
// Must not start Raymond: Place and Stage do.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { fakeClaude, flagOf, type FakeCall, type FakeClaude, type FakeRule } from './fake-claude.js';
import { until } from './until.js';

const made: FakeClaude[] = [];

afterAll(async () => {
  await Promise.all(made.splice(0).map((fake) => fake.close()));
});

/** A fake that answers by these rules. */
export async function fakeWith(...rules: readonly FakeRule[]): Promise<FakeClaude> {
  const fake = await fakeClaude({ rules });
  made.push(fake);
  return fake;
}

/** The sessions that have a transcript where Claude Code keeps them. */
export async function transcriptsOf({ configDir }: FakeClaude): Promise<readonly string[]> {
  const files = await readdir(configDir, { recursive: true });
  return files.filter((file) => file.endsWith('.jsonl')).map((file) => file.replace(/^.*[\\/]|\.jsonl$/g, ''));
}

/** The state of each call, in their order: what RAYMOND_STATE_FILE names. */
export function statesOf(calls: readonly FakeCall[]): readonly string[] {
  return calls.map(({ env }) => env['RAYMOND_STATE_FILE']?.replace(/^.*[\\/]/, '') ?? 'none');
}

/** The states that an agent has gone through, as the command line told on stderr. */
export function visited({ stderr }: { readonly stderr: string }, agentId: string): readonly string[] {
  const lines = stderr.split('\n').map((line) => /^(?:[\d:]+ )?(\S+) (\S+) → /.exec(line));
  return lines.flatMap((line) => (line?.[1] === agentId && line[2] !== undefined ? [line[2]] : []));
}

/** The session ids of the calls. */
export function sessionsOf(calls: readonly FakeCall[]): readonly (string | undefined)[] {
  return calls.map((call) => flagOf(call, '--session-id'));
}

/** What `--json` printed, as far as tests ask. */
export interface RunJson {
  readonly runId: string;
  readonly status: string;
  readonly result?: string;
  readonly costUsd: number;
  readonly agents: readonly {
    readonly id: string;
    readonly status: string;
    readonly state: string;
    readonly error?: string;
  }[];
}

/** The document of a run. */
export function documentOf({ stdout }: { readonly stdout: string }): RunJson {
  return JSON.parse(stdout) as RunJson;
}

/** Waits until Raymond has noted so many results of attempts whose turn has not been reported yet. */
export async function untilNoted(cwd: string, results = 1): Promise<void> {
  const folder = join(cwd, '.raymond', 'journal');
  const noted = async (): Promise<boolean> => {
    const files = (await readdir(folder, { recursive: true }).catch(() => [])).filter((file) =>
      file.endsWith('.jsonl'),
    );
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8').catch(() => '')));
    return texts.filter((text) => text.includes('"type":"result"')).length >= results;
  };
  await until(noted, { what: 'a noted result' });
}

/** The journals and temporary folders of turns that are still there: none, when all is done. */
export async function leftovers(cwd: string): Promise<readonly string[]> {
  const folders = ['journal', 'tmp'].map((name) => join(cwd, '.raymond', name));
  return (await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))).flat();
}
