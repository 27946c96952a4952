// A span per turn, as a collector gets it, and the context that the processes of turns are given.
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { otlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';

let place: Place;
let receiver: OtlpReceiver;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  place = await Place.sharing({
    'flow/START.md': 'Begin.\n',
    'flow/PART.sh': 'echo "part $TRACEPARENT" >> seen; echo "<result>part</result>"\n',
    'flow/END.sh': 'echo "end $TRACEPARENT" >> seen; echo "<result>done</result>"\n',
    'fails/START.sh': 'exit 3\n',
    'quick/START.sh': 'echo "<result>${TRACEPARENT:-none}</result>"\n',
  });
});
beforeEach(async () => {
  receiver = await otlpReceiver();
  env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
});
afterEach(() => receiver.close());

const named = (name: string): ReceivedSpan => {
  const [span, ...others] = receiver.spans.filter((one) => one.name === name);
  if (span === undefined || others.length > 0) throw new Error(`${others.length + (span ? 1 : 0)} spans "${name}"`);
  return span;
};
const traceParentOf = ({ traceId, spanId }: ReceivedSpan): string => `00-${traceId}-${spanId}-01`;

test('every turn is a span below its agent, in one trace per run, and its process is given that span', async () => {
  const fake = await fakeWith({ text: '<fork next="END">PART</fork>', costUsd: 0.25 });
  const called = await place.bin(['start', 'flow', '--id', 'traced', '--traces'], { env: { ...fake.env, ...env } });
  expect(called).toMatchObject({ exitCode: 0, stdout: 'done' });
  const [sender = ''] = receiver.senders;
  expect(JSON.parse(sender)).toMatchObject({ 'service.name': 'raymond', 'host.name': expect.any(String) });
  // A command line may hold inputs and keys.
  expect(sender).not.toContain('--traces');
  const [main, part] = [named('agent main'), named('agent main_part1')];
  const [start, end, forked] = [named('turn START.md'), named('turn END.sh'), named('turn PART.sh')];
  expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([main.traceId]));
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
  const seen = (await place.read('seen'))?.trimEnd().split('\n').sort();
  expect(seen).toEqual([`end ${traceParentOf(end)}`, `part ${traceParentOf(forked)}`]);
});

test('a turn that failed says how, and a resumption continues in the same trace', async () => {
  expect((await place.bin(['start', 'fails', '--id', 'failing', '--traces'], { env })).exitCode).toBe(1);
  const failed = named('turn START.sh');
  expect(failed.attributes['raymond.outcome']).toBe('ScriptFailed');
  expect(failed.status).toMatchObject({ code: 2, message: expect.stringContaining('exit code 3') });
  await place.write('fails/START.sh', 'echo "<result>mended</result>"\n');
  expect((await place.bin(['resume', 'failing', '--traces'], { env })).exitCode).toBe(0);
  const [, again] = receiver.spans.filter(({ name }) => name === 'turn START.sh');
  expect(again?.traceId).toBe(failed.traceId);
  expect(again?.parentSpanId).toBe(failed.parentSpanId);
});

test('without the flag nothing is sent, whatever the environment says; the config asks for it, too', async () => {
  expect(await place.bin(['start', 'quick'], { env })).toMatchObject({ exitCode: 0, stdout: 'none' });
  expect(receiver.contentTypes.size).toBe(0);
  const asking = await Place.sharing({
    'quick/START.sh': 'echo "<result>${TRACEPARENT:-none}</result>"\n',
    '.raymond/config.toml': '[raymond]\ntraces = true\n',
  });
  const { stdout } = await asking.bin(['start', 'quick'], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
  expect(stdout).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  // As OpenTelemetry's specification says when nothing names a protocol.
  expect(receiver.contentTypes).toEqual(new Set(['application/x-protobuf']));
});

test("Claude Code is given OpenTelemetry's variables when it is set to send telemetry of its own", async () => {
  const fake = await fakeWith({ text: '<result>done</result>' });
  await place.write('prompt/START.md', 'Hello.\n');
  await place.raymond(['start', 'prompt'], { env: { ...fake.env, ...env } });
  await place.raymond(['start', 'prompt'], { env: { ...fake.env, ...env, CLAUDE_CODE_ENABLE_TELEMETRY: '1' } });
  const given = (await fake.calls()).map((call) => call.env['OTEL_EXPORTER_OTLP_ENDPOINT']);
  expect(given).toEqual([undefined, receiver.url]);
});

test('a protocol that is not spoken is wrong usage; a collector that is not there is reported once and holds nothing up', async () => {
  const refused = await place.raymond(['start', 'quick', '--traces'], { env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' } });
  expect(refused).toMatchObject({
    exitCode: 64,
    stdout: '',
    stderr: expect.stringContaining('OTEL_EXPORTER_OTLP_PROTOCOL is grpc'),
  });
  await receiver.close();
  const called = await place.bin(['start', 'quick', '--traces'], { env });
  expect(called.exitCode).toBe(0);
  expect(called.stderr.match(/traces cannot be sent/g)).toHaveLength(1);
});
