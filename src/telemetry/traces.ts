// A span for every attempt of a turn, sent by OTLP over HTTP to where OpenTelemetry's own variables say. Loaded only when somebody asked for
// traces.
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

/** How spans are sent, and who hears, once, that they cannot be. */
export interface TraceOptions {
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly report: (line: string) => void;
}

/** A watcher whose spans are sent in the background. */
export interface TurnTraces extends TurnWatcher {
  /** Sends what was not sent yet, for a few seconds at most. */
  close(): Promise<void>;
}

/** Nobody waits longer for a collector that does not answer. */
const CLOSE_MS = 2000;

/** Starts to send spans. */
export async function startTraces({ protocol, report }: TraceOptions): Promise<TurnTraces> {
  const trouble = tellTrouble(report);
  const ids = new GivenIds();
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
        () => 'told' as const, // by the library, which is heard
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

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES count more than what is said here. Not the process's detector: it tells the command line, inputs and keys. */
function resource(): Resource {
  const own = resourceFromAttributes({ 'service.name': 'raymond' });
  return own.merge(detectResources({ detectors: [hostDetector, envDetector] }));
}

/** The library tries again by itself and goes on without what it could not send: once is enough to know. Gives what tells more of it. */
function tellTrouble(report: (line: string) => void): (message: string) => void {
  let told = false;
  const error = (message: string): void => {
    if (!told) report(`traces cannot be sent: ${message.slice(0, 300)}`);
    told = true;
  };
  const silent = (): void => undefined;
  diag.setLogger({ error, warn: silent, info: silent, debug: silent, verbose: silent }, DiagLogLevel.ERROR);
  return error;
}

/** Random ids, but for a span that is given its own. */
class GivenIds implements IdGenerator {
  private given: { readonly traceId: string; readonly spanId: string } | undefined;
  private readonly random = new RandomIdGenerator();

  generateTraceId(): string {
    return this.given?.traceId ?? this.random.generateTraceId();
  }

  generateSpanId(): string {
    return this.given?.spanId ?? this.random.generateSpanId();
  }

  /** Calls `make`, whose span gets these ids. */
  during<T>(given: { readonly traceId: string; readonly spanId: string }, make: () => T): T {
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
    private readonly ids: GivenIds,
  ) {}

  begin(turn: WatchedTurn): TurnWatch {
    if (turn.turn === 1 && turn.attempt === 1) this.markAgent(turn);
    const span = this.tracer.startSpan(`turn ${turn.state}`, { attributes: attributesOf(turn) }, under(turn));
    return { environment: { TRACEPARENT: traceParent(span.spanContext()) }, end: (end) => ended(span, end) };
  }

  /** When an agent ends nobody knows here: its span says that it has begun, so that its turns have a parent that exists. */
  private markAgent({ runId, agentId }: WatchedTurn): void {
    const ids = { traceId: traceIdOf(runId), spanId: agentSpanId(runId, agentId) };
    const parent = agentId === MAIN_AGENT ? ROOT_CONTEXT : under({ runId, agentId: MAIN_AGENT });
    const attributes = { 'raymond.run': runId, 'raymond.agent': agentId };
    this.ids.during(ids, () => this.tracer.startSpan(`agent ${agentId}`, { attributes }, parent)).end();
  }
}

/** The context of what an agent does. */
function under({ runId, agentId }: Pick<WatchedTurn, 'runId' | 'agentId'>): Context {
  const traceId = traceIdOf(runId);
  const spanId = agentSpanId(runId, agentId);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
}

function attributesOf({ runId, agentId, state, turn, attempt, kind }: WatchedTurn): Attributes {
  return {
    'raymond.run': runId,
    'raymond.agent': agentId,
    'raymond.state': state,
    'raymond.turn': turn,
    'raymond.attempt': attempt,
    'raymond.kind': kind,
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
