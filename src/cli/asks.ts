// How open questions are shown to people and in the JSON document, and the command that answers each.
// Must not print.
import type { ArtifactStore } from '../store/folder.js';
import type { RunView } from '../client/runs.js';
import type { Upload } from '../protocol/ask-files.js';
import { textOf } from './texts.js';

/** A question in the JSON document; `until` in ISO form, `show` are paths of files that belong to it. */
export interface AskDocument {
  readonly askId: string;
  readonly agentId: string;
  readonly prompt: string;
  readonly until?: string;
  readonly upload?: Upload;
  readonly show?: readonly string[];
}

/** The open questions of a run, without those of these ids. */
export async function asksOf(
  { agents }: RunView,
  artifacts: ArtifactStore,
  known: ReadonlySet<string> = new Set(),
): Promise<readonly AskDocument[]> {
  const asking = agents.flatMap(({ id, ask }) =>
    ask === undefined || known.has(ask.id) ? [] : [{ agentId: id, ask }],
  );
  return await Promise.all(
    asking.map(async ({ agentId, ask }) => ({
      askId: ask.id,
      agentId,
      prompt: await textOf(ask.prompt, artifacts),
      ...(ask.until === undefined ? {} : { until: new Date(ask.until).toISOString() }),
      ...(ask.upload === undefined ? {} : { upload: ask.upload }),
      ...(ask.shown === undefined ? {} : { show: ask.shown }),
    })),
  );
}

/** The questions as paragraphs for people, each with the command that answers it; of one that was told, the command only. */
export function askTexts(
  runId: string,
  asks: readonly AskDocument[],
  told: ReadonlySet<string> = new Set(),
): readonly string[] {
  return asks.map((ask) => (told.has(ask.askId) ? toldText(runId, ask) : wholeText(runId, ask)));
}

function toldText(runId: string, ask: AskDocument): string {
  return `  ${ask.agentId}, ${ask.askId}: ${answerText(runId, ask)}`;
}

function wholeText(runId: string, ask: AskDocument): string {
  const { askId, agentId, prompt, until, show = [] } = ask;
  return [
    `${agentId} asks (${askId}${until === undefined ? '' : `, until ${until}`}):`,
    ...prompt.split('\n').map((line) => `  ${line}`),
    ...show.map((path) => `  see ${path}`),
    `  ${answerText(runId, ask)}`,
  ].join('\n');
}

function answerText(runId: string, { askId, upload }: AskDocument): string {
  return `answer with: raymond answer ${runId} ${askId} "…"${filesOf(upload)}`;
}

function filesOf(upload: Upload | undefined): string {
  if (upload === undefined) return '';
  if (upload.kind === 'bucket') return ' [--file NAME=PATH …]';
  return upload.slots.map(({ name }) => ` --file ${name}=PATH`).join('');
}
