// The verdict on a pi turn: how its last message stopped, else its stderr. pi has no error codes: its error text begins
// with the status of the model service, and the rest is prose.
import { assertNever, type FailureType } from '../../protocol/failure.js';
import type { BackendVerdict, EndedProcess } from '../backend.js';
import type { PiMessage } from './stream.js';

const INSTALL =
  'pi cannot be started: install it (npm install -g @earendil-works/pi-coding-agent) and make sure that `pi` is on the PATH of the worker';
const LOGIN =
  'pi has no key for its provider: run `pi` once on this host and log in, or name the variable with the key in env_pass';

interface TextRule {
  readonly says: RegExp;
  readonly type: FailureType;
  readonly what: string;
}

/** The first match with the error's text counts. */
const RULES: readonly TextRule[] = [
  { says: /No API key found|^40[13]\b|authentication|invalid (?:x-)?api.?key/i, type: 'NeedsPerson', what: LOGIN },
  {
    says: /credit balance|billing|insufficient_quota|^402\b/i,
    type: 'NeedsPerson',
    what: 'The account of the model service has no credit',
  },
  {
    says: /Model "[^"]*" not found|not_found_error|^404\b/i,
    type: 'ClaudeRefused',
    what: 'pi does not know the model: correct `model`, as in `pi --list-models`',
  },
  {
    says: /prompt is too long|context.?(?:length|window)|^413\b/i,
    type: 'ClaudeRefused',
    what: 'The conversation is too long for the model: continue with <reset>, or shorten the input',
  },
  {
    says: /^429\b|rate.?limit|too many requests/i,
    type: 'RateLimited',
    what: 'The model service has reached its rate limit',
  },
  {
    says: /^5\d\d\b|overloaded|ECONN|ETIMEDOUT|fetch failed|connection error|terminated|timed? ?out/i,
    type: 'ApiTrouble',
    what: 'The model service has a temporary error',
  },
  {
    says: /^4\d\d\b|Unknown option|Cannot fork/i,
    type: 'ClaudeRefused',
    what: 'pi, or the model service, rejects the request',
  },
];

/** Judges a process that has ended; `last` is the model's last complete message. */
export function judge(last: PiMessage | undefined, { end, stderr, redact }: EndedProcess): BackendVerdict {
  const failed = (type: FailureType, message: string): BackendVerdict => ({
    kind: 'failed',
    type,
    message: redact(message),
  });
  if (end.kind === 'unstartable') {
    if (end.what === 'journal')
      return failed(
        'NeedsPerson',
        quoting('The prompt was not started, because its spending cannot be recorded', end.message),
      );
    const missing = end.what === 'command';
    return failed(
      missing ? 'NeedsPerson' : 'ClaudeRefused',
      quoting(missing ? INSTALL : 'The process cannot be started', end.message),
    );
  }
  if (last?.stopReason === 'stop' || last?.stopReason === 'length') return { kind: 'answered' };
  if (end.kind === 'overtime' || end.kind === 'flooded' || end.kind === 'idle')
    return failed('ClaudeFailed', endText(end));
  const said = last?.stopReason === 'error' ? (last.errorMessage ?? '') : stderr;
  const rule = RULES.find(({ says }) => says.test(said));
  if (rule !== undefined) return failed(rule.type, quoting(rule.what, said));
  return failed('ClaudeFailed', quoting(endText(end), said));
}

function quoting(what: string, said: string): string {
  const words = said.trim().split('\n').slice(0, 3).join('\n').slice(0, 500);
  return words === '' ? `${what}.` : `${what}. Its message: ${words}`;
}

function endText(end: EndedProcess['end']): string {
  switch (end.kind) {
    case 'idle':
      return `pi printed nothing for ${end.seconds} seconds and was stopped`;
    case 'overtime':
      return `pi was stopped because its turn took more than ${end.seconds} seconds (max_time)`;
    case 'flooded':
      return `pi printed more than ${end.bytes} bytes in one turn and was stopped`;
    case 'exited':
      return `pi ended with exit code ${end.code} before its answer`;
    case 'signalled':
      return `pi was killed by ${end.signal} before its answer`;
    case 'stopped':
    case 'enough':
      return 'pi was stopped before its answer';
    case 'unstartable':
      return end.message;
    default:
      return assertNever(end);
  }
}
