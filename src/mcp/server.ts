// `raymond mcp`: a server of the Model Context Protocol on two streams, through which coding agents and editors operate
// runs. Only messages of the protocol are written to the output.
import type { Readable, Writable } from 'node:stream';
import { McpServer, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { explained } from '../client/explain.js';
import type { OpenOptions } from '../client/open.js';
import { packageFacts } from '../host/self.js';
import { orderTools } from './orders.js';
import { runTools } from './runs.js';
import { bounded, ProjectAccess, type Tool, type ToolCall } from './tool.js';
import { workflowTools } from './workflows.js';

/** How to serve. */
export interface McpOptions {
  readonly open: OpenOptions;
  readonly input: Readable;
  readonly output: Writable;
  /** Offers only tools that change nothing. */
  readonly isReadOnly: boolean;
  /** Ends the server. */
  readonly signal: AbortSignal;
}

const INSTRUCTIONS = `Raymond runs workflows of prompts and scripts durably, in the background.
list_workflows shows what can be started. start_run starts a run; give it an id, so that a repeated call starts no second one.
Then call run_result with waitSeconds, or run_status, until the status is completed, failed, cancelled, paused, asking or over-budget.
When a run asks, show the question to the user and pass the answer on by answer_question.`;

/** How long calls in progress may take after the client has gone, in milliseconds. */
const LEAVE_MS = 10_000;

/** Serves until the input ends, the output is closed, or `signal` is aborted. */
export async function serveMcp({ open, input, output, isReadOnly, signal }: McpOptions): Promise<void> {
  const gone = new AbortController();
  const calls = new Set<Promise<unknown>>();
  const access = new ProjectAccess(open);
  const tools = [...workflowTools, ...runTools, ...orderTools].filter(({ effect }) => !isReadOnly || effect === 'look');
  const factory = (): McpServer => {
    const server = new McpServer(
      { name: 'raymond', title: 'Raymond', version: packageFacts().version },
      { instructions: INSTRUCTIONS },
    );
    for (const tool of tools)
      addTool(server, tool, async (given, context) => {
        const call = answered(tool, { access, given, context, report: open.report, gone: gone.signal });
        calls.add(call);
        return await call.finally(() => calls.delete(call));
      });
    return server;
  };
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve());
    for (const event of ['close', 'error']) output.once(event, () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const handle = serveStdio(factory, {
    transport: new StdioServerTransport(input, output),
    onerror: ({ message }) => open.report(`mcp: ${message}`),
  });
  await ended;
  gone.abort();
  // An order that has begun is finished: what it started must not stay half done.
  await Promise.race([Promise.allSettled(calls), new Promise((resolve) => setTimeout(resolve, LEAVE_MS).unref())]);
  await handle.close();
}

function addTool(
  server: McpServer,
  { name, title, description, input, effect, isRepeatable }: Tool,
  call: (given: unknown, context: ServerContext) => Promise<CallToolResult>,
): void {
  const annotations = {
    readOnlyHint: effect === 'look',
    destructiveHint: effect === 'end',
    idempotentHint: isRepeatable,
    openWorldHint: false,
  };
  server.registerTool(name, { title, description, inputSchema: input, annotations }, call);
}

interface Answering {
  readonly access: ProjectAccess;
  readonly given: unknown;
  readonly context: ServerContext;
  readonly report: (line: string) => void;
  readonly gone: AbortSignal;
}

/** The answer, or the error in the words of the command line. */
async function answered(tool: Tool, { access, given, context, report, gone }: Answering): Promise<CallToolResult> {
  const { signal, notify, _meta: { progressToken } = {} } = context.mcpReq;
  const progress: ToolCall['progress'] = ({ done, ...now }) => {
    if (progressToken === undefined) return;
    // A client that has gone hears nothing.
    void notify({
      method: 'notifications/progress',
      params: { progressToken, progress: done, ...now },
    }).catch(() => undefined);
  };
  try {
    const answer = bounded(await tool.run({ access, signal: AbortSignal.any([signal, gone]), progress }, given));
    return {
      content: [{ type: 'text', text: JSON.stringify(answer) }],
      structuredContent: answer as Record<string, unknown>,
    };
  } catch (error) {
    const { code, message } = await explained(error, access.env);
    if (code === 'bug') report(`mcp: ${tool.name}: ${message}`);
    const text = code === 'bug' ? `unexpected error: ${message.split('\n')[0]}` : message;
    return { isError: true, content: [{ type: 'text', text }] };
  }
}
