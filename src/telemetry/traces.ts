// Sends a span for every attempt of a turn by OTLP over HTTP, configured by OpenTelemetry's own variables. Loaded only
// when traces are on.
import { diag, DiagLogLevel, ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import { detectResources, envDetector, hostDetector } from '@opentelemetry/resources';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, RandomIdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';
import type { IdGenerator, SpanExporter } from '@opentelemetry/sdk-trace';
import { setTimeout as delay } from 'node:timers/promises';
import { chargedByModel, type TurnEnd, type TurnWatch, type TurnWatcher } from '../activities/watch.js';
import type { WatchedTurn } from '../activities/watch.js';
import { MAIN_AGENT } from '../protocol/ids.js';
import { agentSpanId, traceIdOf, traceParent } from './trace-ids.js';

/** How to send spans, and who is notified, once, when that fails. */
export interface TraceOptions {
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly report: (line: string) => void;
}

/** An observer that sends spans in the background. */
interface TurnTraces extends TurnWatcher {
  /** Sends the remaining spans, for a few seconds at most. */
  close(): Promise<void>;
}

/** The longest wait for a collector that does not answer. */
const CLOSE_MS = 2000;

/** Starts sending spans. */
export async function startTraces({ protocol, report }: TraceOptions): Promise<TurnTraces> {
  const trouble = reportOnce(report);
  const ids = new FixedIds();
  const provider = new TracerProvider({
    resource: resource(),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor({ exporter: await exporterFor(protocol), scheduledDelayMillis: 1000 })],
  });
  const spans = new Spans(provider.getTracer('raymond'), ids);
  return {
    begin: (turn) => spans.begin(turn),
    close: async () => {
      const sent = provider.shutdown().then(
        () => 'sent' as const,
        () => 'failed' as const, // the library reports it
      );
      const end = await Promise.race([sent, delay(CLOSE_MS, 'late' as const, { ref: false })]);
      if (end === 'late') trouble(`no answer within ${CLOSE_MS / 1000} s; the last spans are lost`);
    },
  };
}

async function exporterFor(protocol: TraceOptions['protocol']): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

/**
 * OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override these. Not the process's detector: it reports the command
 * line, with inputs and keys.
 */
function resource(): Resource {
  const own = resourceFromAttributes({ 'service.name': 'raymond' });
  return own.merge(detectResources({ detectors: [hostDetector, envDetector] }));
}

/**
 * The library retries on its own and drops what it cannot send: one message is enough. Returns a function that stops
 * messages.
 */
function reportOnce(report: (line: string) => void): (message: string) => void {
  let hasReported = false;
  const error = (message: string): void => {
    if (!hasReported) report(`traces cannot be sent: ${message.slice(0, 300)}`);
    hasReported = true;
  };
  const ignore = (): void => undefined;
  diag.setLogger({ error, warn: ignore, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.ERROR);
  return error;
}

/** Random ids, except for a span with given ones. */
class FixedIds implements IdGenerator {
  private given: { readonly traceId: string; readonly spanId: string } | undefined;
  private readonly random = new RandomIdGenerator();

  generateTraceId(): string {
    return this.given?.traceId ?? this.random.generateTraceId();
  }

  generateSpanId(): string {
    return this.given?.spanId ?? this.random.generateSpanId();
  }

  /** Calls `make`, whose span gets these ids. */
  withIds<T>(given: { readonly traceId: string; readonly spanId: string }, make: () => T): T {
    this.given = given;
    try {
      return make();
    } finally {
      this.given = undefined;
    }
  }
}

class Spans {
  constructor(
    private readonly tracer: Tracer,
    private readonly ids: FixedIds,
  ) {}

  begin(turn: WatchedTurn): TurnWatch {
    if (turn.turn === 1 && turn.attempt === 1) this.markAgent(turn);
    const span = this.tracer.startSpan(`turn ${turn.state}`, { attributes: attributesOf(turn) }, under(turn));
    return { environment: { TRACEPARENT: traceParent(span.spanContext()) }, end: (end) => ended(span, end) };
  }

  /** Nothing here knows when an agent ends: its span marks its start, so that its turns have an existing parent. */
  private markAgent({ runId, agentId }: WatchedTurn): void {
    const ids = { traceId: traceIdOf(runId), spanId: agentSpanId(runId, agentId) };
    const parent = agentId === MAIN_AGENT ? ROOT_CONTEXT : under({ runId, agentId: MAIN_AGENT });
    const attributes = { 'raymond.run': runId, 'raymond.agent': agentId };
    this.ids.withIds(ids, () => this.tracer.startSpan(`agent ${agentId}`, { attributes }, parent)).end();
  }
}

/** The context of an agent's turns. */
function under({ runId, agentId }: Pick<WatchedTurn, 'runId' | 'agentId'>): Context {
  const traceId = traceIdOf(runId);
  const spanId = agentSpanId(runId, agentId);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
}

function attributesOf({ runId, agentId, state, turn, attempt, kind, labels = {} }: WatchedTurn): Attributes {
  return {
    'raymond.run': runId,
    'raymond.agent': agentId,
    'raymond.state': state,
    'raymond.turn': turn,
    'raymond.attempt': attempt,
    'raymond.kind': kind,
    ...Object.fromEntries(Object.entries(labels).map(([key, value]) => [`raymond.label.${key}`, value])),
  };
}

function ended(span: Span, end: TurnEnd): void {
  const charged = chargedByModel(end);
  const sum = (of: 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'): number =>
    charged.reduce((total, one) => total + one[of], 0);
  span.setAttributes({ 'raymond.outcome': end.outcome, 'raymond.cost_usd': end.costUsd });
  if (charged.length > 0)
    span.setAttributes({
      'raymond.model': charged.map(({ model }) => model).join(', '),
      'raymond.tokens.input': sum('inputTokens'),
      'raymond.tokens.output': sum('outputTokens'),
      'raymond.tokens.cache_read': sum('cacheReadTokens'),
      'raymond.tokens.cache_write': sum('cacheWriteTokens'),
    });
  if (end.failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: end.failure.slice(0, 1000) });
  span.end();
}
