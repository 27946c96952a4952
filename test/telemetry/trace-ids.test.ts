// The names of runs and agents in traces are the same wherever they are made, and differ where runs and agents do.
import { expect, test } from '@jest/globals';
import { agentSpanId, traceIdOf, traceParent } from '../../src/telemetry/trace-ids.js';

test('ids have the form that OpenTelemetry asks for, and are always the same', () => {
  expect(traceIdOf('hello-1')).toMatch(/^[0-9a-f]{32}$/);
  expect(agentSpanId('hello-1', 'main')).toMatch(/^[0-9a-f]{16}$/);
  expect(traceIdOf('hello-1')).toBe(traceIdOf('hello-1'));
  // Workers of different versions put one run into one trace.
  expect(traceIdOf('hello-1')).toBe('dc052616800608bfbca78de400be29a0');
  expect(new Set([traceIdOf('hello-1'), traceIdOf('hello-2')]).size).toBe(2);
  const spans = [agentSpanId('a', 'main'), agentSpanId('b', 'main'), agentSpanId('a', 'main_part1')];
  expect(new Set(spans).size).toBe(3);
});

test('a span is handed on as W3C Trace Context writes it', () => {
  expect(traceParent({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) })).toBe(
    `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  );
});
