// pi as a backend: its command line, and its conversations as files. Every turn forks the previous conversation's file,
// in a folder of its own, so that parents are only read and a retry sends exactly parent and prompt.
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { v5 as uuidv5 } from 'uuid';
import type { PiOptions } from '../../protocol/backend-options.js';
import type { Session } from '../../protocol/machine/agent.js';
import {
  SessionMissing,
  type Backend,
  type BackendCommand,
  type BackendEvent,
  type BackendContext,
  type BackendRequest,
  type BackendVerdict,
  type EndedProcess,
  type KeepContext,
  type ModelSpending,
  type OutputReader,
} from '../backend.js';
import { folderOf, requireHome } from '../home.js';
import { judge } from './judge.js';
import { PiStream } from './stream.js';

/** The pi settings of the config. */
export interface PiSettings {
  /** Arguments that are passed to pi unchanged. */
  readonly piArgs: readonly string[];
  /** Tools that a prompt may use without permission prompts; pi has no patterns: only a bare `Bash` counts. */
  readonly allowedTools: readonly string[];
}

const NAMESPACE = '0b8a52c7-1d6e-5f3a-9c41-7e2d90b6a1f4';

/** Where pi keeps its files. */
export const PI_HOME = { title: 'pi', variable: 'PI_CODING_AGENT_DIR', inHome: join('.pi', 'agent') } as const;

/** The folder in it with the conversations of all attempts. */
const SESSIONS = 'raymond';

/** What is allowed without a shell: the same as `acceptEdits` of Claude Code. */
const EDITING = ['read', 'grep', 'find', 'ls', 'edit', 'write'];

const TOOL_ARGS = ['--tools', '-t', '--no-tools', '-nt', '--no-builtin-tools', '-nbt'];

/** The arguments that would override an option. */
const OVERRIDES: { readonly [key in keyof PiOptions]?: readonly string[] } = {
  provider: ['--provider'],
  thinking: ['--thinking'],
  tools: TOOL_ARGS,
  noBuiltinTools: TOOL_ARGS,
  noTools: TOOL_ARGS,
};

/** Flags that Raymond sets itself. */
const RESERVED = [
  '--mode',
  '--print',
  '-p',
  '--session',
  '--session-dir',
  '--session-id',
  '--fork',
  '--continue',
  '-c',
  '--resume',
  '-r',
  '--no-session',
];

/** The first of the user's arguments that Raymond sets itself; undefined when there is none. */
export function reservedPiArg(args: readonly string[]): string | undefined {
  return args.find((arg) => RESERVED.includes(arg.split('=', 1)[0] ?? arg));
}

/** The first of the user's arguments that would override one of these options; undefined when there is none. */
export function overridingPiArg(args: readonly string[], options: PiOptions): string | undefined {
  const given = Object.entries(OVERRIDES).filter(([key]) => isOn(options[key as keyof PiOptions]));
  const overriding = given.flatMap(([, names]) => names);
  return args.find((arg) => overriding.includes(arg.split('=', 1)[0] ?? arg));
}

function isOn(value: PiOptions[keyof PiOptions]): boolean {
  return value !== undefined && value !== false;
}

/** Runs the `pi` on PATH. */
export class PiBackend implements Backend {
  readonly usesAccounts = true;

  constructor(private readonly settings: PiSettings) {}

  sessionId(attemptId: string): string {
    return uuidv5(attemptId, NAMESPACE);
  }

  async command(request: BackendRequest): Promise<BackendCommand> {
    const { sessionId, session, prompt, model, options = {} } = request;
    const { effort = options.thinking } = request;
    await requireHome(PI_HOME, { env: request.env, name: SESSIONS });
    const args = [
      ...['--mode', 'json', '--session-dir', sessionFolder(sessionId, request)],
      ...(session === undefined ? [] : ['--fork', await parentOf(session, request)]),
      ...(model === undefined ? [] : ['--model', model]),
      ...(effort === undefined ? [] : ['--thinking', effort]),
      ...(options.provider === undefined ? [] : ['--provider', options.provider]),
      ...this.tools(request),
      ...(options.noExtensions === true ? ['--no-extensions'] : []),
      ...(options.extensions ?? []).flatMap((source) => ['--extension', source]),
      ...(options.noSkills === true ? ['--no-skills'] : []),
      ...(options.skills ?? []).flatMap((path) => ['--skill', path]),
      ...this.settings.piArgs,
    ];
    return { command: 'pi', args, stdin: prompt };
  }

  /** The tools that the manifest allows, whatever the permissions; else those of the permissions. */
  private tools({ permissions, options = {} }: BackendRequest): readonly string[] {
    if (options.noTools === true) return ['--no-tools'];
    if (options.noBuiltinTools === true) return ['--no-builtin-tools'];
    if (options.tools !== undefined) return ['--tools', onlyThese(options.tools)];
    if (permissions === 'skip') return [];
    const shell = this.settings.allowedTools.some((tool) => tool.toLowerCase() === 'bash') ? ['bash'] : [];
    return ['--tools', onlyThese([...EDITING, ...shell])];
  }

  reader(onLine?: (line: string, isEvent: boolean) => void): PiReader {
    return new PiReader(onLine);
  }

  async keep(id: string, { artifacts, ...context }: KeepContext): Promise<Session> {
    const folder = sessionFolder(id, context);
    const [file] = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.jsonl')); // No folder: reported below.
    if (file === undefined) {
      const what = `pi answered, but left no conversation in ${folder}: it cannot be continued`;
      throw new SessionMissing(`${what}; make sure that pi_args do not turn sessions off`);
    }
    const { sha256 } = await artifacts.putFile(join(folder, file));
    await leave(join(folder, file), { name: file, context });
    await this.discard(id, context);
    return { id, sha256 };
  }

  async discard(id: string, context: BackendContext): Promise<void> {
    await rm(sessionFolder(id, context), { recursive: true, force: true });
  }
}

/** Leaves the conversation where the manifest wants it. */
async function leave(
  path: string,
  { name, context }: { readonly name: string; readonly context: BackendContext },
): Promise<void> {
  const { cwd, options: { sessionDir } = {} } = context;
  if (sessionDir === undefined) return;
  const folder = resolve(cwd, sessionDir);
  await mkdir(folder, { recursive: true });
  await copyFile(path, join(folder, name));
}

/** pi keeps the tools of MCP servers unless the list names one: this entry names none of them. Older versions ignore it. */
function onlyThese(tools: readonly string[]): string {
  const namesServer = tools.some((tool) => tool.startsWith('mcp__'));
  return (namesServer ? tools : [...tools, 'mcp__none']).join(',');
}

/** Beside pi's own sessions: a folder for every attempt. */
function sessionFolder(id: string, { env }: Pick<BackendContext, 'env'>): string {
  return join(folderOf(PI_HOME, env) ?? '', SESSIONS, id);
}

/** pi opens a conversation by its file. */
async function parentOf(session: Session, { artifacts, temporaryFolder }: BackendRequest): Promise<string> {
  const path = join(await temporaryFolder(), `${session.id}.jsonl`);
  await artifacts.materialise(session.sha256, path);
  return path;
}

/** Parses the output of one pi process. */
export class PiReader implements OutputReader {
  private readonly stream: PiStream;

  constructor(onLine?: (line: string, isEvent: boolean) => void) {
    this.stream = new PiStream(onLine);
  }

  push(chunk: Uint8Array): readonly BackendEvent[] {
    return this.stream.push(chunk);
  }

  end(): readonly BackendEvent[] {
    return this.stream.end();
  }

  get text(): string {
    return this.stream.text;
  }

  get costUsd(): number {
    return this.stream.spending.reduce((sum, { costUsd }) => sum + costUsd, 0);
  }

  get spending(): readonly ModelSpending[] {
    return this.stream.spending;
  }

  get warnings(): readonly string[] {
    return [];
  }

  judge(process: EndedProcess): BackendVerdict {
    return judge(this.stream.last, process);
  }
}
