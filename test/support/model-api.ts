// A model that answers as a test says, for the real Claude Code CLI. A request that no rule fits fails the test when the API is closed.
// Must not leave this machine: it listens on the loopback interface only.
import { expect } from '@jest/globals';
import type { ScriptedReply } from './modelApiRules.mjs';
import { startModelServer, type ModelRequest, type ModelServer, type Reply } from './modelApiServer.mjs';

export { script } from './modelApiRules.mjs';
export type { Rule, ScriptedReply } from './modelApiRules.mjs';
export type { ModelRequest, ModelUsage, Reply, Said } from './modelApiServer.mjs';

/** A running model API. */
export interface ModelApi {
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** Stops it; rejects when a scripted model was asked something that no rule fitted. */
  close(): Promise<void>;
}

/** Starts a model API on an ephemeral port. */
export async function startModelApi({
  reply,
}: {
  readonly reply: ScriptedReply | ((request: ModelRequest) => Reply | Promise<Reply>);
}): Promise<ModelApi> {
  const server: ModelServer = await startModelServer({ reply });
  return {
    url: server.url,
    requests: server.requests,
    close: async () => {
      await server.close();
      const mismatches = 'mismatches' in reply ? reply.mismatches : [];
      if (mismatches.length > 0) throw new Error(mismatches.join('\n'));
    },
  };
}

/** Checks the whole conversation of a request, one line `role: text` for everything that was said in words or by tools. */
export function expectConversation(request: ModelRequest | undefined, lines: readonly string[]): void {
  expect(request?.conversation.map(({ role, text }) => `${role}: ${text}`)).toEqual(lines);
}
