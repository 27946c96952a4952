// The fake `claude` as tests use it: a folder for PATH, rules, the log of its calls, its transcripts. The program is fakeClaude/main.mjs.
// Must not set HOME: what else a test starts keeps the real one.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One result of the fake; every field has a harmless default. `costUsd` is this turn's own cost (default 0.01). */
export interface FakeReply {
  readonly text?: string;
  readonly costUsd?: number;
  readonly usage?: Readonly<Record<string, number>>;
  readonly isError?: boolean;
  readonly terminalReason?: string;
  readonly subtype?: string;
  readonly errors?: readonly string[];
  readonly apiErrorStatus?: number;
  readonly assistantError?: string;
  readonly numTurns?: number;
  readonly onlyTotalCost?: true;
  readonly permissionDenials?: readonly {
    readonly tool_name: string;
    readonly tool_use_id?: string;
    readonly tool_input?: object;
  }[];
}

/** What the fake does with one prompt. In order: touch, write, daemon, hang before, hang mid, waitFor, delay, extras, results, hang after or busy. */
export interface FakeBehaviour extends FakeReply {
  /** Several results from one process, instead of one. */
  readonly results?: readonly FakeReply[];
  readonly rateLimit?: Readonly<Record<string, unknown>>;
  /** Before the answer, in the stream and in the transcript. */
  readonly toolCalls?: readonly {
    readonly says?: string;
    readonly name: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly result: string;
    readonly isError?: true;
  }[];
  readonly exitCode?: number;
  readonly stderr?: string;
  readonly noResult?: true;
  /** Never exits: before anything is answered, in the middle of an answer, silent after the result, at work after the result. */
  readonly hang?: 'before' | 'mid' | 'after' | 'busy';
  readonly ignoreSigterm?: true;
  readonly delayMs?: number;
  /** Printed to stdout as it is. */
  readonly raw?: string;
  readonly rawBase64?: string;
  /** Prints an event with so many bytes in one line. */
  readonly bigLine?: number;
  /** Leaves a `sleep` of its own session behind. */
  readonly spawnDaemon?: true | { readonly pidFile?: string; readonly holdOutput?: true };
  readonly closeStdoutAndLive?: true;
  /** A file that gets a line: the side effect. */
  readonly touch?: string;
  /** A file, relative to its folder, that gets this text. */
  readonly write?: { readonly path: string; readonly text: string };
  /** A file that gets a line when the attempt begins, charges and ends (see fakeClaude/effects.mjs). */
  readonly effects?: string;
  /** Goes on only when this file exists. */
  readonly waitFor?: string;
}

/** A behaviour for prompts that match the regular expression (all without), used at most `times` times. */
export interface FakeRule extends FakeBehaviour {
  readonly match?: string;
  readonly times?: number;
}

/** One call of the fake, as it saw it. `env` holds RAYMOND_*, what is for traces and the login only, `envNames` all names. */
export interface FakeCall {
  readonly argv: readonly string[];
  readonly prompt: string;
  readonly env: Readonly<Record<string, string>>;
  readonly envNames: readonly string[];
  readonly cwd: string;
  readonly pid: number;
  readonly at: number;
}

/** A fake that is set up. `env` is to be laid over a test's environment; the calls work without the FAKE_CLAUDE_* in it, too. */
export interface FakeClaude {
  readonly folder: string;
  readonly binDir: string;
  readonly configDir: string;
  readonly env: Readonly<Record<string, string>>;
  calls(): Promise<readonly FakeCall[]>;
  setRules(rules: readonly FakeRule[]): Promise<void>;
  /** What was said in a session, `role: text`, oldest first. */
  conversation(sessionId: string): Promise<readonly string[]>;
  transcriptPath(sessionId: string): Promise<string>;
  close(): Promise<void>;
}

/** Sets the fake up in a temporary folder. */
export async function fakeClaude({ rules = [] }: { readonly rules?: readonly FakeRule[] } = {}): Promise<FakeClaude> {
  const folder = await mkdtemp(join(tmpdir(), 'raymond-fake-claude-'));
  const at = (name: string): string => join(folder, name);
  const files = { log: at('calls.jsonl'), rules: at('rules.json') };
  await Promise.all([
    mkdir(at('bin')),
    mkdir(at('config')),
    writeFile(files.log, ''),
    writeFile(files.rules, JSON.stringify(rules)),
  ]);
  await writeFile(join(at('bin'), 'claude'), program(files), { mode: 0o755 });
  const transcriptPath = (id: string): Promise<string> => findTranscript(at('config'), id);
  return {
    folder,
    binDir: at('bin'),
    configDir: at('config'),
    env: {
      PATH: `${at('bin')}:${process.env['PATH'] ?? ''}`,
      CLAUDE_CONFIG_DIR: at('config'),
      FAKE_CLAUDE_LOG: files.log,
      FAKE_CLAUDE_RULES: files.rules,
    },
    calls: async () => jsonLines(await readFile(files.log, 'utf8')) as readonly FakeCall[],
    setRules: async (next) => {
      await rm(`${files.rules}.used`, { recursive: true, force: true });
      await writeFile(files.rules, JSON.stringify(next));
    },
    conversation: async (id) => spoken(jsonLines(await readFile(await transcriptPath(id), 'utf8'))),
    transcriptPath,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The value of a flag in a call, or undefined. */
export function flagOf(call: FakeCall | undefined, name: string): string | undefined {
  const index = call?.argv.indexOf(name) ?? -1;
  return index < 0 ? undefined : call?.argv[index + 1];
}

/** A FAKE{…}EKAF directive for a prompt text. */
export function directive(behaviour: FakeBehaviour): string {
  return `FAKE${JSON.stringify(behaviour)}EKAF`;
}

/** The executable carries its settings with it: a turn's environment is an allow-list that would drop them. */
function program(files: { readonly log: string; readonly rules: string }): string {
  const main = new URL('./fakeClaude/main.mjs', import.meta.url).href;
  return [
    `#!${process.execPath}`,
    `process.env.FAKE_CLAUDE_LOG ??= ${JSON.stringify(files.log)};`,
    `process.env.FAKE_CLAUDE_RULES ??= ${JSON.stringify(files.rules)};`,
    `import(${JSON.stringify(main)});`,
    '',
  ].join('\n');
}

async function findTranscript(configDir: string, id: string): Promise<string> {
  const projects = join(configDir, 'projects');
  const found: string[] = [];
  for (const project of await readdir(projects).catch(() => [])) {
    const names = await readdir(join(projects, project));
    if (names.includes(`${id}.jsonl`)) found.push(join(projects, project, `${id}.jsonl`));
  }
  const [path, ...others] = found;
  if (path === undefined || others.length > 0)
    throw new Error(`${found.length} transcripts of session ${id} under ${projects}`);
  return path;
}

interface TranscriptLine {
  readonly type: string;
  readonly message?: { readonly content: string | readonly { readonly text: string }[] };
}

function spoken(lines: readonly unknown[]): readonly string[] {
  return (lines as readonly TranscriptLine[]).flatMap(({ type, message }) => {
    if (message === undefined) return [];
    const { content } = message;
    const text = typeof content === 'string' ? content : content.map((block) => block.text).join('\n');
    return [`${type}: ${text.trim()}`];
  });
}

function jsonLines(text: string): readonly unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}
