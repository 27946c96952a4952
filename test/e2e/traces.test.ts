// A span per turn, as a collector gets it, and the context that the processes of turns are given.
import { expect, test } from '@jest/globals';
import { fakeWith } from '../support/fakes.js';
import type { ReceivedSpan } from '../support/otlp-receiver.js';
import { TracesPlace } from './traces-place.js';

const traces = new TracesPlace();

const traceParentOf = ({ traceId, spanId }: ReceivedSpan): string => `00-${traceId}-${spanId}-01`;

test('every turn is a span below its agent, in one trace per run, and its process is given that span', async () => {
  const fake = await fakeWith({ text: '<fork next="END">PART</fork>', costUsd: 0.25 });
  const called = await traces.place.bin(['start', 'flow', '--id', 'traced', '--traces'], {
    env: { ...fake.env, ...traces.env },
  });
  expect(called).toMatchObject({ exitCode: 0, stdout: 'done' });
  const [sender = ''] = traces.receiver.senders;
  expect(JSON.parse(sender)).toMatchObject({ 'service.name': 'raymond', 'host.name': expect.any(String) });
  // A command line may hold inputs and keys.
  expect(sender).not.toContain('--traces');
  const [main, part] = [traces.named('agent main'), traces.named('agent main_part1')];
  const [start, end, forked] = [
    traces.named('turn START.md'),
    traces.named('turn END.sh'),
    traces.named('turn PART.sh'),
  ];
  expect(new Set(traces.receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([main.traceId]));
  expect([main.parentSpanId, part.parentSpanId]).toEqual([undefined, main.spanId]);
  expect([start, end, forked].map(({ parentSpanId }) => parentSpanId)).toEqual([main.spanId, main.spanId, part.spanId]);
  expect(start.attributes).toEqual({
    'raymond.run': 'traced',
    'raymond.agent': 'main',
    'raymond.state': 'START.md',
    'raymond.turn': 1,
    'raymond.attempt': 1,
    'raymond.kind': 'prompt',
    'raymond.outcome': 'transition',
    'raymond.cost_usd': 0.25,
    'raymond.model': 'claude-fake-1',
    'raymond.tokens.input': 10,
    'raymond.tokens.output': 5,
    'raymond.tokens.cache_read': 0,
    'raymond.tokens.cache_write': 0,
  });
  const [call] = await fake.calls();
  expect(call?.env['TRACEPARENT']).toBe(traceParentOf(start));
  const seen = (await traces.place.read('seen'))?.trimEnd().split('\n').sort();
  expect(seen).toEqual([`end ${traceParentOf(end)}`, `part ${traceParentOf(forked)}`]);
});

test('a protocol that is not spoken is wrong usage; a collector that is not there is reported once and holds nothing up', async () => {
  const refused = await traces.place.raymond(['start', 'quick', '--traces'], {
    env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  });
  expect(refused).toMatchObject({
    exitCode: 64,
    stdout: '',
    stderr: expect.stringContaining('OTEL_EXPORTER_OTLP_PROTOCOL is grpc'),
  });
  await traces.receiver.close();
  const called = await traces.place.bin(['start', 'quick', '--traces'], { env: traces.env });
  expect(called.exitCode).toBe(0);
  expect(called.stderr.match(/traces cannot be sent/g)).toHaveLength(1);
});
