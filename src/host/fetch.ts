// Downloads that go through the proxy of the environment, which the fetch of Node 20 and 22 ignores.
import { env } from 'node:process';

/** The variables that name a proxy. */
const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

/** What an answer has, of both libraries. */
export type DownloadAnswer = Pick<Response, 'ok' | 'status' | 'headers' | 'body'>;

/**
 * `fetch` by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of this process. Without a proxy it is Node's own, so that the
 * library is loaded only by those who need it. The signal is the caller's limit: without one, a server could hold it up.
 */
export async function proxiedFetch(
  url: URL,
  options: RequestInit & { readonly signal: AbortSignal },
): Promise<DownloadAnswer> {
  if (!PROXIES.some((name) => env[name])) return await fetch(url, options);
  const { EnvHttpProxyAgent, fetch: fetchWith } = await import('undici');
  const agent = new EnvHttpProxyAgent();
  const request = { ...options, dispatcher: agent } as Parameters<typeof fetchWith>[1];
  try {
    return await fetchWith(url, request);
  } finally {
    // It waits for the end of the answer; no caller waits for it.
    void agent.close();
  }
}
