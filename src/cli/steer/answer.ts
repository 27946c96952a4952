// `raymond answer`: a person's answer to a question of a run.
import { ClientError } from '../../client/error.js';
import { findRun } from '../../client/look/runs.js';
import { askToAnswer } from '../../client/steer/answer.js';
import { answer as sendAnswer } from '../../client/steering.js';
import { occasionOf } from '../../protocol/machine/status.js';
import { defined } from '../../protocol/text.js';
import { openForView, order, type ContinueFlags } from '../runs/follow.js';
import { hintAtWorkers, type ClientContext } from '../context.js';
import { EXIT } from '../exit.js';
import { readAll, type Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** Flags of `answer`. */
export interface AnswerFlags extends ContinueFlags {
  readonly file?: readonly string[];
}

/** The run, and `words`: the id of the question, if named, and the text (`-` = standard input). */
interface AnswerRequest {
  readonly runId: string;
  readonly words: readonly string[];
  readonly flags: AnswerFlags;
}

/** Answers; returns the exit code. */
export async function answer(io: Io, { runId: name, words, flags: given }: AnswerRequest): Promise<number> {
  const { askId, text } = await readWords(words, io.stdin);
  const { flags, context } = await openForView(io, { flags: given, runId: name });
  const { link, artifacts } = context;
  const found = await findRun(link.client, name, artifacts);
  const { runId } = found;
  // Before an engine starts here, which would let an expired question fail its agent.
  askToAnswer(found, askId);
  const files = flags.file ?? [];
  if (flags.quiet !== true) await hintAtWorkers(context, found.taskQueue);
  const act = async (inner: ClientContext): Promise<string> => {
    const answered = await sendAnswer(inner, { runId, text, files, ...defined({ askId }) });
    if (flags.quiet !== true) io.say(`answered ${answered}`);
    return answered;
  };
  const asks = found.agents.flatMap(({ ask }) => ask ?? []);
  const following = (id: string): { readonly answered: string } => ({
    answered: occasionOf(asks.find((ask) => ask.id === id) ?? { id }),
  });
  const done = await order(context, { runId, flags, act, following });
  if ('code' in done) return done.code;
  if (flags.json === true) await printDocument(io, 'answer', { runId, askId: done.acted });
  return EXIT.completed;
}

async function readWords(
  words: readonly string[],
  stdin: Io['stdin'],
): Promise<{ readonly askId: string | undefined; readonly text: string }> {
  const [first, second, ...more] = words;
  if (first === undefined || more.length > 0) {
    throw new ClientError('InvalidUsage', 'usage: raymond answer RUN [ASK] TEXT; quote a text of several words');
  }
  const text = second ?? first;
  return { askId: second === undefined ? undefined : first, text: text === '-' ? await readAll(stdin) : text };
}
