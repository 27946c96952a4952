// Questions to people: the open ones, the files shown and sent with them, and their answers. Only the first answer to a
// question counts.
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import { findAsk, typeOf } from '../client/steer/answer.js';
import { ClientError } from '../client/error.js';
import type { Raymond } from '../client/open.js';
import { asksOf, filesOf } from '../client/documents/run-document.js';
import { findRun, listRuns, viewRun, type RunView } from '../client/look/runs.js';
import { orders, turns as recordedTurns } from '../client/operations.js';
import { answer } from '../client/steering.js';
import { MAX_BYTES, openPlainFile } from '../host/plain-file.js';
import { sentNameProblem, type Upload } from '../protocol/language/ask-files.js';
import type { Answer } from '../protocol/machine/wait.js';
import { askingTurnOf } from '../protocol/ids.js';
import { defined } from '../protocol/text.js';
import { SANDBOXED } from './people/access.js';
import type { Handlers, Serving } from './handlers.js';
import { Refusal } from './problems.js';
import type { OpenAsk } from './types.js';

/** The routes of this file. */
export const askHandlers: Handlers<'inbox' | 'askFiles' | 'askFile' | 'upload' | 'removeUpload' | 'answer'> = {
  inbox: async (serving, { raymond }) => {
    const { client } = raymond.link;
    const open = await listRuns(client, { openOnly: true });
    const asking = open.filter(({ agents = [] }) => agents.some(({ ask }) => ask !== undefined));
    const found = await Promise.all(
      asking.map(async ({ runId }) => {
        const view = await viewRun(client, runId);
        return view.open ? await openAsks(serving, view) : [];
      }),
    );
    return { asks: found.flat().toSorted((one, other) => ageOf(one) - ageOf(other)) };
  },

  askFiles: async (_serving, { params, raymond }) => {
    const { shown, sent } = await recordedFiles(raymond, params);
    return {
      shown: await Promise.all(shown.map(shownLine)),
      sent: sent.map(({ name, bytes, type }) => ({ name, bytes, type })),
    };
  },

  askFile: async (_serving, { params, raymond }) => {
    const { name, ask } = params;
    const { shown, sent } = await recordedFiles(raymond, params);
    const path = shown.find((one) => basename(one) === name);
    if (path !== undefined) return await fileResponse(path, { name, type: await typeOf(path) });
    const file = sent.find((one) => one.name === name);
    if (file === undefined) throw new Refusal('NoSuchFile', `no file "${name}" was shown or sent with ${ask}`);
    return await fileResponse(await raymond.artifacts.locate(file.sha256), file);
  },

  upload: async ({ uploads }, { params, raymond, request }) => {
    const { runId, askId, line, view } = await openAsk(raymond, params);
    // When there are very many questions, some are not listed.
    if (line === undefined && view.agentsHidden === undefined)
      throw new Refusal(
        'AnsweredAlready',
        `${askId} is not an open question of ${runId}; GET /api/inbox lists the open questions`,
      );
    const { name } = params;
    const maxBytes = limitOf(line?.upload, checkedName(name));
    const { sha256: _kept, ...file } = await uploads.add({
      runId,
      askId,
      name,
      body: request.body,
      contentType: request.headers.get('content-type'),
      maxBytes,
    });
    return file;
  },

  removeUpload: async ({ uploads }, { params, raymond }) => {
    const { runId, askId } = await openAsk(raymond, params);
    await uploads.remove({ runId, askId }, params.name);
    return undefined;
  },

  answer: async ({ uploads }, { params, body: { text }, files, raymond, who }) => {
    const { runId, askId, line } = await openAsk(raymond, params).catch((error: unknown) =>
      tooLate(raymond, { params, error }),
    );
    const key = `${runId}/${askId}`;
    if (answering.has(key)) throw late(askId);
    answering.add(key);
    try {
      for (const { name, bytes } of files) {
        const maxBytes = limitOf(line?.upload, checkedName(name));
        await uploads.add({ runId, askId, name, body: bytes.stream(), contentType: bytes.type, maxBytes });
      }
      const stored = await uploads.of({ runId, askId });
      await answer(raymond, { runId, askId, text, stored });
      await uploads.remove({ runId, askId });
    } catch (error) {
      return await tooLate(raymond, { params, error });
    } finally {
      answering.delete(key);
    }
    return { runId, askId, by: who.name };
  },
};

/** Throws `AnswerRefused`. */
function checkedName(name: string): string {
  const problem = sentNameProblem(name);
  if (problem === undefined) return name;
  throw new ClientError('AnswerRefused', problem);
}

/** Questions whose answer is being sent: a second answer is too late, although the first is not recorded yet. */
const answering = new Set<string>();

/** The open questions of a run. */
export async function openAsks(
  { raymond, uploads }: Pick<Serving, 'raymond' | 'uploads'>,
  view: RunView,
): Promise<readonly OpenAsk[]> {
  const { runId, workflow, given } = view;
  const states = new Map(view.agents.map(({ id, state }) => [id, state]));
  return await Promise.all(
    (await asksOf(view, raymond.artifacts)).map(async ({ show = [], upload, ...ask }) => ({
      ...ask,
      runId,
      workflow,
      state: states.get(ask.agentId) ?? '',
      ...defined({ input: given?.input, upload: upload && uploads.limited(upload) }),
      files: await Promise.all(show.map(shownLine)),
      sent: (await uploads.of({ runId, askId: ask.askId })).map(({ name, bytes, type }) => ({ name, bytes, type })),
    })),
  );
}

/** When it was asked; one whose time is unknown is listed last. */
function ageOf({ askedAt }: OpenAsk): number {
  return askedAt === undefined ? Number.MAX_VALUE : Date.parse(askedAt);
}

async function shownLine(path: string): Promise<OpenAsk['files'][number]> {
  const found = await stat(path).catch(() => undefined); // It may be on another host.
  const type = found === undefined ? 'application/octet-stream' : await typeOf(path);
  return { name: basename(path), type, ...(found === undefined ? {} : { bytes: found.size }) };
}

/** The files that were shown with a question and sent with its answer, as the asking turn and the answer are recorded. */
async function recordedFiles(
  raymond: Raymond,
  { run, ask }: { readonly run: string; readonly ask: string },
): Promise<{ readonly shown: readonly string[]; readonly sent: Answer['files'] }> {
  const { runId } = await findRun(raymond.link.client, run, raymond.artifacts);
  const asking = askingTurnOf(ask);
  if (asking === undefined) throw noSuchAsk(runId, ask);
  const { agentId, turn } = asking;
  const end = (await recordedTurns(raymond, { runId, agentId })).findLast(({ number }) => number === turn)?.end;
  const question = end?.kind === 'transition' && end.transition.kind === 'ask' ? end.transition : undefined;
  if (question === undefined) throw noSuchAsk(runId, ask);
  const { show = [] } = await filesOf(question, raymond.artifacts);
  const answers = (await orders(raymond, { runId, agentId })).flatMap((order) =>
    order.kind === 'answer' && order.askId === ask ? [order] : [],
  );
  return { shown: show, sent: answers.at(-1)?.files ?? [] };
}

function noSuchAsk(runId: string, ask: string): ClientError {
  return new ClientError('NoSuchAsk', `the run ${runId} has no question "${ask}"`);
}

async function openAsk(
  { link }: Raymond,
  { run, ask }: { readonly run: string; readonly ask: string },
): Promise<ReturnType<typeof findAsk> & { readonly view: RunView; readonly runId: string }> {
  const view = await findRun(link.client, run);
  if (!view.open) throw new ClientError('RunClosed', `the run ${view.runId} has already ended (${view.status})`);
  return { ...findAsk(view, ask), view, runId: view.runId };
}

/** The error for a rejected answer: another answer was first, or the question expired. */
async function tooLate(
  { link }: Raymond,
  { params, error }: { readonly params: { readonly run: string; readonly ask: string }; readonly error: unknown },
): Promise<never> {
  if (!(error instanceof ClientError) || error.code !== 'AnswerRefused') throw error;
  const { agents } = await findRun(link.client, params.run);
  if (agents.some(({ ask }) => ask?.id === params.ask)) throw error;
  throw new Refusal('AnsweredAlready', error.message);
}

function late(askId: string): Refusal {
  return new Refusal('AnsweredAlready', `another answer to ${askId} is being sent`);
}

const SLOT_BYTES = 10 * 2 ** 20;
const UNKNOWN_BYTES = 2 ** 30;

/** The size limit for a file of a question. Throws `AnswerRefused` for a file that the question does not accept. */
function limitOf(upload: Upload | undefined, name: string): number {
  if (upload === undefined) return UNKNOWN_BYTES;
  if (upload.kind === 'bucket') return upload.maxBytes;
  const slots = upload.slots.map((slot) => slot.name);
  if (slots.includes(name)) return SLOT_BYTES;
  throw new ClientError('AnswerRefused', `there is no slot "${name}"; the slots are ${slots.join(', ')}`);
}

const PDF = 'application/pdf';

/** Types that a browser shows without running anything; all others are sent as bytes. */
const HARMLESS = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|text\/plain|application\/pdf)$/;

/** A file of a question or an answer. It was copied: a link in its place leads nowhere. */
async function fileResponse(
  path: string,
  { name, type }: { readonly name: string; readonly type: string },
): Promise<Response> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true || (await realpath(path)) !== `${await realpath(dirname(path))}/${basename(path)}`)
    throw new Refusal('NoSuchFile', `the file "${name}" is not on this host; the host of its agent has it`);
  const headers = {
    ...SANDBOXED,
    'content-type': HARMLESS.test(type)
      ? type
      : type.startsWith('text/')
        ? 'text/plain; charset=utf-8'
        : 'application/octet-stream',
    'content-length': String(found.size),
    // A browser shows a PDF in a viewer of its own.
    'content-disposition': `${type === PDF ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(name)}`,
  };
  const bytes = (await openPlainFile(path, MAX_BYTES.ask)).createReadStream();
  return new Response(Readable.toWeb(bytes) as ReadableStream<Uint8Array>, { headers });
}
