// Spans of turns that fail, of runs that ask for them in the config or not at all, and of the real Claude Code CLI.
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { startModelApi } from '../support/model-api.js';
import { realClaude } from '../support/real-claude.js';
import { TracesPlace } from './traces-place.js';

const traces = new TracesPlace();

test('a turn that failed says how, and a resumption continues in the same trace', async () => {
  expect(
    (await traces.place.bin(['start', 'fails', '--id', 'failing', '--traces'], { env: traces.env })).exitCode,
  ).toBe(1);
  const failed = traces.named('turn START.sh');
  expect(failed.attributes['raymond.outcome']).toBe('ScriptFailed');
  expect(failed.status).toMatchObject({ code: 2, message: expect.stringContaining('exit code 3') });
  await traces.place.write('fails/START.sh', 'echo "<result>mended</result>"\n');
  expect((await traces.place.bin(['resume', 'failing', '--traces'], { env: traces.env })).exitCode).toBe(0);
  const [, again] = traces.receiver.spans.filter(({ name }) => name === 'turn START.sh');
  expect(again?.traceId).toBe(failed.traceId);
  expect(again?.parentSpanId).toBe(failed.parentSpanId);
});

test('without the flag nothing is sent, whatever the environment says; the config asks for it, too', async () => {
  expect(await traces.place.bin(['start', 'quick'], { env: traces.env })).toMatchObject({
    exitCode: 0,
    stdout: 'none',
  });
  expect(traces.receiver.contentTypes.size).toBe(0);
  const asking = await Place.sharing({
    'quick/START.sh': 'echo "<result>${TRACEPARENT:-none}</result>"\n',
    '.raymond/config.toml': '[raymond]\ntraces = true\n',
  });
  const { stdout } = await asking.bin(['start', 'quick'], {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: traces.receiver.url },
  });
  expect(stdout).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  // As OpenTelemetry's specification says when nothing names a protocol.
  expect(traces.receiver.contentTypes).toEqual(new Set(['application/x-protobuf']));
});

test("Claude Code is given OpenTelemetry's variables when it is set to send telemetry of its own", async () => {
  const fake = await fakeWith({ text: '<result>done</result>' });
  await traces.place.write('prompt/START.md', 'Hello.\n');
  await traces.place.raymond(['start', 'prompt'], { env: { ...fake.env, ...traces.env } });
  await traces.place.raymond(['start', 'prompt'], {
    env: { ...fake.env, ...traces.env, CLAUDE_CODE_ENABLE_TELEMETRY: '1' },
  });
  const given = (await fake.calls()).map((call) => call.env['OTEL_EXPORTER_OTLP_ENDPOINT']);
  expect(given).toEqual([undefined, traces.receiver.url]);
});

test('the spans of the real Claude Code hang below the turn', async () => {
  const api = await startModelApi({ reply: () => ({ text: '<result>done</result>' }) });
  const claude = await realClaude({ apiUrl: api.url });
  try {
    await traces.place.write('prompt/START.md', 'Hello.\n');
    const own = {
      CLAUDE_CODE_ENABLE_TELEMETRY: '1',
      CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
      OTEL_TRACES_EXPORTER: 'otlp',
    };
    const called = await traces.place.bin(['start', 'prompt', '--traces'], {
      env: { ...claude.env, ...traces.env, ...own },
    });
    expect(called).toMatchObject({ exitCode: 0, stdout: 'done' });
    const [turn, theirs] = [traces.named('turn START.md'), traces.named('claude_code.interaction')];
    expect(theirs).toMatchObject({ traceId: turn.traceId, parentSpanId: turn.spanId });
  } finally {
    await claude.close();
    await api.close();
  }
});
