// What goes back to whoever calls, with the headers that every answer has. They are given when an answer is made: those that are put on one later cost
// several times what it costs to send it.
import { SAFE_HEADERS } from './people/access.js';

/** Answers that have all headers. */
const complete = new WeakSet<Response>();

const COMMON = { ...SAFE_HEADERS, 'cache-control': 'no-store' };
const JSON_HEADERS = { ...COMMON, 'content-type': 'application/json' };

/** JSON that is text already. */
export function jsonAnswer(text: string, status = 200): Response {
  return whole(new Response(text, { status, headers: JSON_HEADERS }));
}

/** Anything else; `headers` win over those that all have. */
export function answerOf(
  body: Uint8Array<ArrayBuffer> | string | null,
  {
    status = 200,
    headers = {},
  }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  return whole(new Response(body, { status, headers: { ...COMMON, ...headers } }));
}

/** Gives an answer that was made elsewhere what it lacks. */
export function completed(response: Response): void {
  if (complete.has(response)) return;
  for (const [name, value] of Object.entries(COMMON))
    if (!response.headers.has(name)) response.headers.set(name, value);
}

function whole(response: Response): Response {
  complete.add(response);
  return response;
}
