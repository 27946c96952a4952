// `raymond answer`: a person's answer to a question of a run. A local run that nobody serves goes on here, as with `resume`.
import { text as readAll } from 'node:stream/consumers';
import { findAsk, sendAnswer, uploads } from '../client/answer.js';
import { ClientError } from '../client/error.js';
import { viewRun, type RunView } from '../client/runs.js';
import { recoverTurns } from '../client/control.js';
import { isServed } from '../local.js';
import { followOn, openForView, serveOn } from './serve.js';
import type { ConnectionFlags, ViewFlags } from './flags.js';
import { say } from './output.js';
import type { Surroundings } from './context.js';

/** Flags of `answer`. */
export interface AnswerFlags extends ConnectionFlags, ViewFlags {
  readonly file?: readonly string[];
  readonly follow?: boolean;
}

/** Answers; `words` are the id of the question, if it is named, and the text (`-` = standard input). Gives the exit code. */
export async function answer(runId: string, words: readonly string[], given: AnswerFlags): Promise<number> {
  const { askId, text } = await readWords(words);
  const { flags, surroundings } = await openForView(given);
  const found = await viewRun(surroundings.link.client, runId);
  if (!found.open) throw new ClientError('RunClosed', `the run ${runId} has ended already (${found.status})`);
  const send = await prepared(surroundings, { found, askId, text, files: flags.file ?? [] });
  if (surroundings.mode.kind === 'local' && !isServed(surroundings.project.raymondDir, runId)) {
    return await serveAnswered(surroundings, { found, flags, send });
  }
  await send.now();
  if (surroundings.mode.kind === 'local' || flags.follow !== true) {
    if (flags.quiet !== true) say(`answered ${send.askId}`);
    return 0;
  }
  return await followOn(surroundings, { runId, flags, following: { answered: send.askId } });
}

interface Prepared {
  readonly askId: string;
  readonly now: () => Promise<void>;
}

async function prepared(
  { link, artifacts }: Surroundings,
  {
    found,
    askId: wanted,
    text,
    files,
  }: {
    readonly found: RunView;
    readonly askId: string | undefined;
    readonly text: string;
    readonly files: readonly string[];
  },
): Promise<Prepared> {
  const { askId, agentId, line } = findAsk(found, wanted);
  const upload = line?.upload === undefined ? {} : { upload: line.upload };
  const sent = await uploads(files, { artifacts, known: line !== undefined, ...upload });
  const given = { askId, text: await artifacts.value(text), files: sent };
  return { askId, now: () => sendAnswer(link.client, { runId: found.runId, agentId, answer: given }) };
}

async function serveAnswered(
  surroundings: Surroundings,
  { found, flags, send }: { readonly found: RunView; readonly flags: AnswerFlags; readonly send: Prepared },
): Promise<number> {
  return await serveOn(surroundings, {
    runId: found.runId,
    flags,
    before: async () => {
      await recoverTurns(surroundings.link, found);
      return { answered: send.askId };
    },
    onServing: async () => {
      await send.now();
      if (flags.quiet !== true) say(`answered ${send.askId}`);
    },
  });
}

async function readWords(
  words: readonly string[],
): Promise<{ readonly askId: string | undefined; readonly text: string }> {
  const [first, second, ...more] = words;
  if (first === undefined || more.length > 0) {
    throw new ClientError(
      'InvalidUsage',
      'write: raymond answer RUN [ASK] TEXT; put a text of several words into quotes',
    );
  }
  const text = second ?? first;
  return { askId: second === undefined ? undefined : first, text: text === '-' ? await readAll(process.stdin) : text };
}
