// The real Claude Code CLI of claude-code/package.json, made to run in a test: its native binary, a folder for PATH, a HOME of its own.
// Must not touch the HOME, the login or the settings of the user who runs the tests.
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

/** How a run of the CLI ended; `events` are the lines of its stdout. */
export interface ClaudeRun {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: readonly Record<string, unknown>[];
}

/** The CLI in a folder of its own. `env` is a whole environment, with `binDir` in front of PATH. */
export interface RealClaude {
  readonly binary: string;
  readonly binDir: string;
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs it in `cwd`; an `env` given here is the whole environment. */
  run(
    args: readonly string[],
    options: { readonly prompt: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<ClaudeRun>;
  /** Where the CLI keeps the transcript of a session that ran in `cwd`. */
  transcriptPath(sessionId: string): string;
  close(): Promise<void>;
}

/** The absolute path of the native binary. */
export function realClaudeBinary(): string {
  const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'claude');
}

/** Sets the CLI up against a model API. */
export async function realClaude({ apiUrl }: { readonly apiUrl: string }): Promise<RealClaude> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'raymond-claude-')));
  const [binDir, home, cwd] = [join(folder, 'bin'), join(folder, 'home'), join(folder, 'work')];
  for (const path of [binDir, home, cwd]) await mkdir(path);
  const binary = realClaudeBinary();
  await symlink(binary, join(binDir, 'claude'));
  const env = environment({ binDir, home, apiUrl });
  return {
    binary,
    binDir,
    home,
    cwd,
    env,
    run: async (args, { prompt, env: whole = env }) => {
      const options = {
        cwd,
        env: whole,
        extendEnv: false,
        input: prompt,
        reject: false,
        timeout: 60_000,
      } as const;
      const { exitCode, stdout, stderr } = await execa('claude', args, options);
      const events = stdout.split('\n').filter((line) => line.startsWith('{'));
      return { exitCode, stdout, stderr, events: events.map((line) => JSON.parse(line) as Record<string, unknown>) };
    },
    transcriptPath: (id) => join(home, '.claude', 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function environment({
  binDir,
  home,
  apiUrl,
}: {
  binDir: string;
  home: string;
  apiUrl: string;
}): Record<string, string> {
  return {
    PATH: `${binDir}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ANTHROPIC_BASE_URL: apiUrl,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
  };
}
