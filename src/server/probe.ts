// Asking a server whether it answers: over the frontend's HTTP port, because node:http is there at once where a gRPC client
// takes 0.3 s to load. A mere TCP connection is no answer: the port may belong to somebody else.
import { request } from 'node:http';

/** The one interface the server listens on. */
export const HOST = '127.0.0.1';

/** The version of the Temporal frontend that answers on this HTTP port, or undefined when none does in time. */
export async function answeringVersion(port: number, timeoutMs: number): Promise<string | undefined> {
  const text = await exchange({ port, path: '/api/v1/system-info', timeoutMs });
  const version = text === undefined ? undefined : parsed(text)?.serverVersion;
  return typeof version === 'string' ? version : undefined;
}

/** Sets how long closed runs stay visible in the default namespace; false when the server refused. */
export async function setRetention(port: number, days: number): Promise<boolean> {
  const body = JSON.stringify({ config: { workflowExecutionRetentionTtl: `${days * 86_400}s` } });
  return (await exchange({ port, path: '/api/v1/namespaces/default/update', timeoutMs: 5_000, body })) !== undefined;
}

interface Exchange {
  readonly port: number;
  readonly path: string;
  readonly timeoutMs: number;
  /** Sent as a POST; without it the request is a GET. */
  readonly body?: string;
}

/** The body of a 200 answer; undefined for every other outcome, for which the callers have one and the same reaction. */
function exchange({ port, path, timeoutMs, body }: Exchange): Promise<string | undefined> {
  return new Promise((resolve) => {
    const method = body === undefined ? 'GET' : 'POST';
    // No agent: a kept-alive socket would hold the process open.
    const signal = AbortSignal.timeout(timeoutMs);
    const call = request({ host: HOST, port, path, method, agent: false, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(response.statusCode === 200 ? text : undefined));
      response.on('error', () => resolve(undefined));
    });
    call.on('error', () => resolve(undefined));
    call.end(body);
  });
}

function parsed(text: string): { readonly serverVersion?: unknown } | null | undefined {
  try {
    return JSON.parse(text) as { serverVersion?: unknown };
  } catch {
    return undefined; // somebody else's answer
  }
}
