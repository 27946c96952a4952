// Spans of the real Claude Code CLI.
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { startModelApi } from '../support/model-api.js';
import { otlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';
import { realClaude } from '../support/real-claude.js';

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

test('the spans of the real Claude Code hang below the turn', async () => {
  const api = await startModelApi({ reply: () => ({ text: '<result>done</result>' }) });
  const claude = await realClaude({ apiUrl: api.url });
  try {
    await place.write('prompt/START.md', 'Hello.\n');
    const own = {
      CLAUDE_CODE_ENABLE_TELEMETRY: '1',
      CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
      OTEL_TRACES_EXPORTER: 'otlp',
    };
    const called = await place.bin(['start', 'prompt', '--traces'], { env: { ...claude.env, ...env, ...own } });
    expect(called).toMatchObject({ exitCode: 0, stdout: 'done' });
    const [turn, theirs] = [named('turn START.md'), named('claude_code.interaction')];
    expect(theirs).toMatchObject({ traceId: turn.traceId, parentSpanId: turn.spanId });
  } finally {
    await claude.close();
    await api.close();
  }
});
