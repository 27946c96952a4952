// Types of the mock model server; modelApi.ts is what tests use.

/** One piece of a conversation; `kind` tells words from tool calls and their results. */
export interface Said {
  readonly role: 'user' | 'assistant';
  readonly kind: 'text' | 'tool' | 'tool-result' | 'other';
  readonly text: string;
}

/** A request as the model would read it: `newest` is the last thing that the user said in words. */
export interface ModelRequest {
  readonly conversation: readonly Said[];
  readonly newest: string;
  readonly sessionId: string | undefined;
  readonly credential: string | undefined;
  readonly model: string | undefined;
  readonly tools: readonly string[];
  readonly raw: unknown;
}

/** Tokens to report; what is absent is a small default. */
export interface ModelUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
}

/** An answer. `hang: true` never answers, `'mid'` stalls after the head of the stream; both last until the server is closed. */
export type Reply = { readonly delayMs?: number } & (
  | { readonly text: string; readonly usage?: ModelUsage }
  | {
      readonly tool: { readonly name: string; readonly input: object };
      readonly text?: string;
      readonly usage?: ModelUsage;
    }
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly errorType?: string;
      readonly message?: string;
    }
  | { readonly hang: true | 'mid'; readonly text?: string }
);

/** A server that runs. */
export interface ModelServer {
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  close(): Promise<void>;
}

export function startModelServer(options: {
  readonly reply: (request: ModelRequest) => Reply | Promise<Reply>;
  readonly port?: number;
  /** The address to listen on; absent = the loopback interface. */
  readonly host?: string;
}): Promise<ModelServer>;
