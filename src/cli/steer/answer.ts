// `raymond answer`: a person's answer to a question of a run. A local run that nobody serves goes on here, as with `resume`.
import { text as readAll } from 'node:stream/consumers';
import { askToAnswer, sendAnswer, uploads } from '../../client/steer/answer.js';
import { ClientError } from '../../client/error.js';
import { findRun, type RunView } from '../../client/look/runs.js';
import { recoverTurns } from '../../client/steer/dead-worker.js';
import { isServed } from '../../local.js';
import { followOn, openForView, serveOn } from '../runs/follow.js';
import type { ConnectionFlags, ViewFlags } from '../flags.js';
import { hintAtWorkers, type CommandContext } from '../context.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** Flags of `answer`. */
export interface AnswerFlags extends ConnectionFlags, ViewFlags {
  readonly file?: readonly string[];
  readonly follow?: boolean;
}

/** What to answer; `words` are the id of the question, if it is named, and the text (`-` = standard input). */
interface AnswerRequest {
  readonly runId: string;
  readonly words: readonly string[];
  readonly flags: AnswerFlags;
}

/** Answers; gives the exit code. */
export async function answer(io: Io, { runId: name, words, flags: given }: AnswerRequest): Promise<number> {
  const { askId, text } = await readWords(words, io.stdin);
  const { flags, surroundings: context } = await openForView(io, { flags: given, runId: name });
  const found = await findRun(context.link.client, name);
  const { runId } = found;
  const send = await answerCall(context, { found, askId, text, files: flags.file ?? [] });
  if (context.mode.kind === 'local' && !isServed(context.project.raymondDir, runId)) {
    return await serveAnswered(context, { found, flags, send });
  }
  if (flags.quiet !== true) await hintAtWorkers(context, found.taskQueue);
  await send.now();
  if (context.mode.kind === 'local' || flags.follow !== true) {
    if (flags.quiet !== true) io.say(`answered ${send.askId}`);
    if (flags.json === true) await printDocument(io, 'answer', { runId, askId: send.askId });
    return 0;
  }
  return await followOn(context, { runId, flags, following: { answered: send.askId } });
}

interface AnswerCall {
  readonly askId: string;
  readonly now: () => Promise<void>;
}

async function answerCall(
  { io, link, artifacts }: CommandContext,
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
): Promise<AnswerCall> {
  const { askId, agentId, line } = askToAnswer(found, wanted);
  const upload = line?.upload === undefined ? {} : { upload: line.upload };
  const sent = await uploads(files, {
    cwd: io.cwd,
    artifacts,
    known: line !== undefined && line.storedFiles === undefined,
    ...upload,
  });
  const given = { askId, text: await artifacts.value(text), files: sent };
  return { askId, now: () => sendAnswer(link.client, { runId: found.runId, agentId, answer: given }) };
}

async function serveAnswered(
  context: CommandContext,
  { found, flags, send }: { readonly found: RunView; readonly flags: AnswerFlags; readonly send: AnswerCall },
): Promise<number> {
  return await serveOn(context, {
    runId: found.runId,
    flags,
    before: async () => {
      await recoverTurns(context.link, found);
      return { answered: send.askId };
    },
    onServing: async () => {
      await send.now();
      if (flags.quiet !== true) context.io.say(`answered ${send.askId}`);
    },
  });
}

async function readWords(
  words: readonly string[],
  stdin: Io['stdin'],
): Promise<{ readonly askId: string | undefined; readonly text: string }> {
  const [first, second, ...more] = words;
  if (first === undefined || more.length > 0) {
    throw new ClientError(
      'InvalidUsage',
      'write: raymond answer RUN [ASK] TEXT; put a text of several words into quotes',
    );
  }
  const text = second ?? first;
  return { askId: second === undefined ? undefined : first, text: text === '-' ? await readAll(stdin) : text };
}
