// Answers the questions of a case's run from the test file.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { selects } from '../backends/scripted/script.js';
import { sendAnswer, uploads } from '../client/steer/answer.js';
import { ClientError } from '../client/error.js';
import type { RunView } from '../client/look/runs.js';
import { agentWorkflowId } from '../protocol/ids.js';
import type { AgentLine } from '../contract/runs.js';
import type { TestEnvironment } from './environment.js';
import type { TestCase } from './case-file.js';
import type { ScriptedAnswer } from './case-schema.js';

/** A question that was asked. */
export interface AskedQuestion {
  readonly askId: string;
  readonly agentId: string;
  readonly state: string;
  readonly prompt: string;
}

/** What sending an answer needs. */
interface QuestionsOptions {
  readonly environment: TestEnvironment;
  readonly test: TestCase;
  readonly runId: string;
  /** The folder for the files of answers. */
  readonly folder: string;
}

type AskingAgent = AgentLine & Required<Pick<AgentLine, 'ask'>>;

/** The questions of one run. */
export class Questions {
  /** By id, in the order in which they were asked. */
  readonly asked = new Map<string, AskedQuestion>();
  /** The questions that expired without an answer. */
  readonly late = new Set<string>();

  constructor(private readonly options: QuestionsOptions) {}

  /** Answers open questions. `waits` = all are waiting and the test has no answer, `answers` = an answer was sent. */
  async answer({ agents, status }: RunView): Promise<'waits' | 'answers' | 'moves'> {
    const asking = agents.filter((line): line is AskingAgent => line.ask !== undefined);
    let unanswered = 0;
    let isAnswered = false;
    for (const line of asking) {
      const answer = this.answerFor(line);
      if (answer === undefined) unanswered += 1;
      if (this.asked.has(line.ask.id)) continue;
      await this.note(line);
      if (answer !== undefined) await this.settle(line, answer);
      isAnswered ||= answer !== undefined;
    }
    if (status === 'asking' && asking.length > 0 && unanswered === asking.length) return 'waits';
    return isAnswered ? 'answers' : 'moves';
  }

  private async note({ id: agentId, state, ask }: AskingAgent): Promise<void> {
    const { artifacts } = this.options.environment;
    const prompt = ask.prompt === undefined ? '' : await artifacts.text(ask.prompt);
    this.asked.set(ask.id, { askId: ask.id, agentId, state, prompt });
  }

  /** The answer to the state's first question, second question, and so on; the last one repeats. */
  private answerFor({ id: agentId, state, ask }: AskingAgent): ScriptedAnswer | undefined {
    const { answers } = this.options.test;
    const found = answers.find(({ selector }) => selects(selector, { agentId, state, attributes: {} }));
    const before = [...this.asked.values()].filter((one) => one.agentId === agentId && one.state === state);
    const at = before.findIndex(({ askId }) => askId === ask.id);
    return found?.answers[at < 0 ? before.length : at] ?? found?.answers.at(-1);
  }

  private async settle({ id: agentId, state, ask }: AskingAgent, answer: ScriptedAnswer): Promise<void> {
    const { environment, test, runId } = this.options;
    const { client } = environment.link;
    if (answer.kind === 'none') {
      if (ask.until === undefined) {
        const what = `the question of ${state} has no timeout, so the answer "none" would wait forever`;
        throw new ClientError('InvalidWorkflow', `${test.file}: answers: ${what}`);
      }
      this.late.add(ask.id);
      await client.workflow.getHandle(agentWorkflowId(runId, agentId)).signal('timeOver', { askId: ask.id });
      return;
    }
    const files = await this.uploaded('files' in answer ? (answer.files ?? {}) : {}, ask.id);
    const text = await environment.artifacts.value(answer.text);
    await sendAnswer(client, { runId, agentId, answer: { askId: ask.id, text, files } });
  }

  private async uploaded(files: Readonly<Record<string, string>>, askId: string): ReturnType<typeof uploads> {
    const cwd = join(this.options.folder, askId);
    await mkdir(cwd, { recursive: true });
    const written = Object.entries(files).map(async ([name, text], index) => {
      const path = join(cwd, `${index}`, name.replaceAll('/', '_'));
      await mkdir(join(cwd, `${index}`));
      await writeFile(path, text);
      return `${name}=${path}`;
    });
    const { artifacts } = this.options.environment;
    return await uploads(await Promise.all(written), { cwd, artifacts, known: false });
  }
}
