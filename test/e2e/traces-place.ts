// A place whose turns send their spans to a receiver, for the tests of traces.
import { afterEach, beforeAll, beforeEach } from '@jest/globals';
import { Place } from '../support/cli.js';
import { otlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';

/** The place of a test file, with a new receiver for each of its tests. */
export class TracesPlace {
  place!: Place;
  receiver!: OtlpReceiver;
  /** What names the receiver to OpenTelemetry. */
  env!: Readonly<Record<string, string>>;

  constructor() {
    beforeAll(async () => {
      this.place = await Place.sharing({
        'flow/START.md': 'Begin.\n',
        'flow/PART.sh': 'echo "part $TRACEPARENT" >> seen; echo "<result>part</result>"\n',
        'flow/END.sh': 'echo "end $TRACEPARENT" >> seen; echo "<result>done</result>"\n',
        'fails/START.sh': 'exit 3\n',
        'quick/START.sh': 'echo "<result>${TRACEPARENT:-none}</result>"\n',
      });
    });
    beforeEach(async () => {
      this.receiver = await otlpReceiver();
      this.env = { OTEL_EXPORTER_OTLP_ENDPOINT: this.receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
    });
    afterEach(() => this.receiver.close());
  }

  /** The only span of this name. */
  named(name: string): ReceivedSpan {
    const [span, ...others] = this.receiver.spans.filter((one) => one.name === name);
    if (span === undefined || others.length > 0) throw new Error(`${others.length + (span ? 1 : 0)} spans "${name}"`);
    return span;
  }
}
