// A workflow of prompts for the real Claude Code CLI, and a loopback model API whose requests tell the exact conversation of every turn.
import { Place } from '../support/cli.js';
import { beforeRemoval } from '../support/folder.js';
import { expectConversation, startModelApi, type ModelApi, type ModelRequest } from '../support/model-api.js';
import { realClaude, type RealClaude } from '../support/real-claude.js';

/** What the model answers to the newest prompt that it was given. */
const ANSWERS: readonly (readonly [prompt: string, answer: string])[] = [
  ['Remember APPLE.', 'Noted. <goto>PLAN</goto>'],
  ['Plan it.', '<call return="USE">RESEARCH</call>'],
  ['Look it up.', 'noise, noise <result>  the facts  </result>'],
  ['Use the facts.', '<function return="SHIP" input="good?">JUDGE</function>'],
  ['Judge: good?', '<result>yes</result>'],
  ['Ship it, the verdict is yes.', '<fork next="END" item="docs">WORKER</fork>'],
  ['Work on docs as main_worker1.', '<result>worked</result>'],
  ['The end.', 'All <result>shipped</result>'],
];

const FLOW = {
  'flow/START.md': 'Remember APPLE.\n',
  'flow/PLAN.md': '---\nunused: true\n---\nPlan it.\n',
  'flow/RESEARCH.md': 'Look it up.\n',
  'flow/USE.md': 'Use {{result}}.\n',
  'flow/JUDGE.md': 'Judge: {{input}}\n',
  'flow/SHIP.md': 'Ship it, the verdict is {{result}}.\n',
  'flow/WORKER.md': 'Work on {{item}} as {{agent_id}}.\n',
  'flow/END.md': 'The end.\n',
};

/** A place with the workflow `flow`, the CLI, and the API that it asks. */
export interface ClaudeFlow {
  readonly api: ModelApi;
  readonly claude: RealClaude;
  readonly place: Place;
}

/** Opens one; closed with the test file. The model answers when `held` lets it. */
export async function openFlow(held: () => Promise<void> = () => Promise.resolve()): Promise<ClaudeFlow> {
  const api = await startModelApi({
    reply: async (request) => {
      await held();
      const answer = ANSWERS.find(([prompt]) => newest(request).startsWith(prompt));
      return answer === undefined ? { status: 400, message: `nobody wrote: ${newest(request)}` } : { text: answer[1] };
    },
  });
  const claude = await realClaude({ apiUrl: api.url });
  beforeRemoval(async () => {
    await claude.close();
    await api.close();
  });
  return { api, claude, place: await Place.sharing(FLOW, claude.env) };
}

/** What the user said last, without the newline that every prompt begins with. */
export function newest({ conversation }: ModelRequest): string {
  return conversation.at(-1)?.text.trim() ?? '';
}

/** Checks what a request sent, line by line. */
export function expectTrimmed(request: ModelRequest | undefined, lines: readonly string[]): void {
  const trimmed = request && {
    ...request,
    conversation: request.conversation.map((said) => ({ ...said, text: said.text.trim() })),
  };
  expectConversation(trimmed, lines);
}
