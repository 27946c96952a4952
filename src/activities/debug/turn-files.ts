// What one attempt of a turn writes into the debug folder: Claude's stream, or a script's output
// and facts, and its log entry. Never fails or delays the turn: errors become one warning per
// worker, and files are finished while the run continues.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApplicationFailure } from '@temporalio/common';
import type { ProcessEnd } from '../../launcher/client.js';
import type { Environment } from '../environment/environment.js';
import type { Ending } from '../turn/ending.js';
import type { Redactor } from '../environment/redact.js';
import type { TurnFailureDetails, TurnReport, TurnRequest } from '../../contract/turns.js';
import { entryOf } from './log.js';
import type { DebugFolders, RunFolder } from './folder.js';
import { JSON_ARRAY, PLAIN, Writer } from './writer.js';
import { defined, jsonOf } from '../../protocol/text.js';

/** The attempt, and the receiver of errors. */
interface TurnDebugParts {
  readonly folders: DebugFolders;
  readonly redactor: Redactor;
  readonly request: TurnRequest;
  readonly attempt: number;
  readonly warn: (text: string) => void;
}

/** Takes the lines of Claude's stream. */
type LineHandler = (line: string, isEvent: boolean) => void;

/** Receives a script's output, and how the script ended. */
interface ScriptDebug {
  readonly output: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
  readonly ended: (ending: Ending) => void;
}

/** The debug files of an attempt; undefined when the run keeps none. */
export function turnDebug(parts: TurnDebugParts): TurnDebug | undefined {
  const folder = parts.folders.of(parts.request);
  if (folder === undefined) return undefined;
  const debug = new TurnDebug(folder, parts);
  if (parts.folders.keepsUp) return debug;
  debug.warn(new Error('the disk does not keep up'));
  return undefined;
}

/** An attempt's files. */
export class TurnDebug {
  private readonly writers: Writer[] = [];
  private readonly pending: Promise<void>[] = [];

  constructor(
    private readonly folder: RunFolder,
    private readonly parts: TurnDebugParts,
  ) {}

  /** Claude's process starts: its stream goes into a JSON array. */
  prompt(): LineHandler {
    const claimed = this.claim('.json');
    const writer = this.writer(JSON_ARRAY, async () => (await claimed).file);
    const { redactor } = this.parts;
    return (said, isEvent) => {
      const line = redactor.text(said);
      writer.add(isEvent || jsonOf(line) !== undefined ? line : JSON.stringify({ raw: line }));
    };
  }

  /** A script starts; credentials are removed from its output. */
  script(env: Environment): ScriptDebug {
    const startedAt = Date.now();
    const claimed = this.claim('.stdout.txt');
    const named = async (extension: string): Promise<string> => `${(await claimed).name}${extension}`;
    const stdout = this.writer(PLAIN, async () => (await claimed).file);
    const stderr = this.writer(PLAIN, async () => await this.folder.create(await named('.stderr.txt'), 'w'));
    return {
      output: (stream, chunk) => (stream === 'stdout' ? stdout : stderr).add(chunk),
      ended: (ending) => {
        const meta = {
          ...endOf(ending),
          execution_time_ms: Date.now() - startedAt,
          environment: this.splitVariables(env),
        };
        const text = `${JSON.stringify(this.parts.redactor.all(meta), undefined, 2)}\n`;
        this.later(async () => {
          await writeFile(join(this.folder.path, await named('.meta.json')), text, { mode: 0o600 });
        });
      },
    };
  }

  /** The attempt has failed; its cost counts as well. */
  failed({ details }: ApplicationFailure): void {
    const [known] = (details ?? []) as readonly (TurnFailureDetails | undefined)[];
    this.folder.log.spent(this.parts.request.agent.id, known?.costUsd ?? 0);
  }

  /** The turn has ended: writes its log entry. */
  recorded(report: TurnReport): void {
    const { request, redactor } = this.parts;
    this.later(async () => {
      await this.folder.make();
      await this.folder.log.add(request.agent.id, report.costUsd, (totalUsd) =>
        entryOf(request, redactor.all(report), { at: new Date(), totalUsd }),
      );
    });
  }

  /** The attempt has ended; its files are finished in the background. */
  close(): void {
    if (this.writers.length > 0) {
      this.later(async () => {
        await this.folder.make();
        await this.folder.pruner.turn();
      });
    }
    this.parts.folders.finish(Promise.all([...this.writers.map((writer) => writer.close()), ...this.pending]));
  }

  private claim(extension: string): ReturnType<RunFolder['claim']> {
    const { request, attempt } = this.parts;
    const { id: agentId, state, turn } = request.agent;
    const claimed = this.folder.claim({ agentId, state, turn: turn + 1 }, { attempt, extension });
    // Callers that need the file get the error, too.
    claimed.catch(() => undefined);
    return claimed;
  }

  private writer(framing: typeof PLAIN, open: ConstructorParameters<typeof Writer>[0]['open']): Writer {
    const writer = new Writer({ framing, open, onFailure: (error) => this.warn(error) });
    this.writers.push(writer);
    return writer;
  }

  private later(work: () => Promise<void>): void {
    this.pending.push(work().catch((error: unknown) => this.warn(error)));
  }

  /** Reports an error, once per worker. */
  warn(error: unknown): void {
    const { folders, warn } = this.parts;
    const text = folders.warning(error, this.folder);
    if (text !== undefined) warn(text);
  }

  /** Shows only the values of variables that Raymond or the workflow set: others may be secrets. */
  private splitVariables(env: Environment): { readonly values: Environment; readonly names: readonly string[] } {
    const { attributes, via } = this.parts.request.agent;
    const input = via === 'fork' ? env['RAYMOND_INPUT'] : undefined;
    const own: Partial<Environment> = { ...attributes, ...defined({ input }) };
    const shown = ([name, value]: readonly [string, string]): boolean => /^RAYMOND_/.test(name) || own[name] === value;
    const variables = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
    const names = variables.filter((variable) => !shown(variable)).map(([name]) => name);
    return { values: Object.fromEntries(variables.filter(shown)), names };
  }
}

function endOf(ending: Ending): Readonly<Record<string, string | number>> {
  return ending.kind === 'exited' ? processEnd(ending.end) : { ended_by: ending.kind };
}

function processEnd(end: ProcessEnd): Readonly<Record<string, string | number>> {
  if (end.kind === 'exited') return { exit_code: end.code };
  if (end.kind === 'signalled') return { signal: end.signal };
  return { ended_by: end.kind, ...(end.kind === 'unstartable' ? { message: end.message } : {}) };
}
