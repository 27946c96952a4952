// A collector of OpenTelemetry on the loopback: takes spans by OTLP over HTTP as JSON, and gives them in a plain form.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const attribute = z.object({
  key: z.string(),
  value: z
    .union([
      z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
      z.object({ intValue: z.coerce.number() }).transform(({ intValue }) => intValue),
      z.object({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
    ])
    .catch(''),
});
const attributes = z
  .array(attribute)
  .transform((list): Record<string, string | number> => Object.fromEntries(list.map(({ key, value }) => [key, value])));
const span = z.object({
  name: z.string(),
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  attributes,
  status: z.object({ code: z.number().optional(), message: z.string().optional() }),
});
const body = z.object({
  resourceSpans: z.array(
    z.object({ resource: z.object({ attributes }), scopeSpans: z.array(z.object({ spans: z.array(span) })) }),
  ),
});

/** A span as it was sent. */
export type ReceivedSpan = z.output<typeof span>;

/** A collector that listens. */
export interface OtlpReceiver {
  /** The endpoint for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** What was told of the senders: attributes as JSON. */
  readonly senders: ReadonlySet<string>;
  /** The content types in which spans came. */
  readonly contentTypes: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Opens one; what is not JSON is only noted by its content type. */
export async function otlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const senders = new Set<string>();
  const contentTypes = new Set<string>();
  const take = async (request: IncomingMessage): Promise<void> => {
    const type = request.headers['content-type'] ?? '';
    contentTypes.add(type);
    const said = await text(request);
    if (type !== 'application/json' || request.url !== '/v1/traces') return;
    for (const { resource, scopeSpans } of body.parse(JSON.parse(said)).resourceSpans) {
      senders.add(JSON.stringify(resource.attributes));
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    }
  };
  const server = createServer((request, response) => {
    void take(request).then(
      () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
      (error: unknown) => response.writeHead(400).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, spans, senders, contentTypes, close };
}
