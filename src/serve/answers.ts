// Responses with their common headers. The headers are set when a response is created, because adding them later costs
// several times as much as sending it.
import { SAFE_HEADERS } from './people/access.js';

/** Responses with all headers. */
const complete = new WeakSet<Response>();

const COMMON = { ...SAFE_HEADERS, 'cache-control': 'no-store' };
const JSON_HEADERS = { ...COMMON, 'content-type': 'application/json' };

/** JSON that is already text. */
export function jsonAnswer(text: string, status = 200): Response {
  return whole(new Response(text, { status, headers: JSON_HEADERS }));
}

/** Any other response; `headers` override the common ones. */
export function answerOf(
  body: Uint8Array<ArrayBuffer> | string | null,
  {
    status = 200,
    headers = {},
  }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  return whole(new Response(body, { status, headers: { ...COMMON, ...headers } }));
}

/** Adds missing headers to a response from another library. */
export function completed(response: Response): void {
  if (complete.has(response)) return;
  for (const [name, value] of Object.entries(COMMON))
    if (!response.headers.has(name)) response.headers.set(name, value);
}

function whole(response: Response): Response {
  complete.add(response);
  return response;
}
