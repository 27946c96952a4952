// The verdict on a Claude turn: one table whose first matching rule counts, and the failure of each verdict. Structured
// fields come before text; text is used only for failed turns. The exit code and `subtype` mean nothing: an API failure
// is a "success", and SIGINT ends with 0.
import type { FailureType } from '../../protocol/failure.js';
import {
  describeEnd,
  explain,
  hasFailed,
  hasNoResult,
  isError,
  isGood,
  isLimitEvent,
  isLimitInWords,
  isNotInstalled,
  isServiceFailure,
  isStatus,
  resetTime,
  words,
  type EndedTurn,
} from './evidence.js';

interface Rule {
  readonly name: string;
  readonly fits: (turn: EndedTurn) => boolean;
  readonly verdict: (turn: EndedTurn) => Verdict;
}

const LOGIN_ERRORS = [
  'authentication_failed',
  'oauth_org_not_allowed',
  'account_on_hold',
  'verification_required',
  'cloud_credential_error',
];
const LOGIN =
  'Claude Code is not logged in or not allowed: run `claude` once on this host and log in, or set ANTHROPIC_API_KEY';
const LOGIN_TEXT = /^(?:Not logged in|Invalid API key)\b/m;
const COMMAND_LINE_ERROR = /^error: |^Error: (?:Settings file|Invalid |When using --print|--session-id|Input )/m;

const RULES: readonly Rule[] = [
  {
    name: 'Claude Code is not installed',
    fits: isNotInstalled,
    verdict: person(
      'not-installed',
      'Claude Code cannot be started: install it and make sure that `claude` is on the PATH of the worker',
    ),
  },
  {
    // Nothing has been spent yet.
    name: 'the journal cannot be opened',
    fits: ({ end }) => end.kind === 'unstartable' && end.what === 'journal',
    verdict: person('no-journal', 'The prompt was not started, because its spending cannot be recorded'),
  },
  {
    name: 'the process cannot be started',
    fits: ({ end }) => end.kind === 'unstartable',
    verdict: fatal('unstartable', 'The process cannot be started'),
  },
  { name: 'a good result', fits: isGood, verdict: () => ({ kind: 'answered' }) },
  {
    name: 'a result without a turn of the model',
    fits: ({ output: { last } }) => last?.isError === false && last.numTurns === 0,
    verdict: fatal(
      'taken-as-command',
      'Claude Code ran the prompt as a command of its own: begin the prompt with a word',
    ),
  },
  {
    // Before Claude Code's own messages, which it may still print when it is stopped.
    name: 'over its time limit, or endless output',
    fits: ({ end }) => end.kind === 'overtime' || end.kind === 'flooded',
    verdict: (turn) => ({ kind: 'unclassified', message: explain(describeEnd(turn), turn) }),
  },
  { name: 'limit event', fits: isLimitEvent, verdict: limitVerdict },
  { name: 'limit in words', fits: isLimitInWords, verdict: limitVerdict },
  {
    name: 'own budget spent',
    fits: ({ output: { last } }) =>
      last?.subtype === 'error_max_budget_usd' || last?.terminalReason === 'budget_exhausted',
    verdict: (turn) => ({
      kind: 'over-budget',
      message: explain('The turn used up the rest of the budget', turn),
    }),
  },
  {
    name: 'turn cap of the user',
    fits: ({ output: { last } }) => last?.subtype === 'error_max_turns',
    verdict: () => ({ kind: 'answered' }),
  },
  {
    // The reply is read for tags and reminded of, as any other that does not fit.
    name: 'no answer that fits the schema',
    fits: ({ output: { last } }) => last?.subtype === 'error_max_structured_output_retries',
    verdict: () => ({ kind: 'answered' }),
  },
  {
    name: 'aborted',
    fits: ({ output: { last } }) => last?.terminalReason?.startsWith('aborted_') === true,
    verdict: retry('interrupted', 'Claude Code was interrupted from outside'),
  },
  {
    name: 'prompt too long',
    fits: ({ output: { last } }) => last?.terminalReason === 'prompt_too_long',
    verdict: fatal(
      'prompt-too-long',
      'The conversation is too long for the model: continue with <reset>, or shorten the input',
    ),
  },
  {
    name: 'billing',
    fits: ({ output }) => output.assistantError === 'billing_error',
    verdict: person('billing', 'The account of Claude has no credit: add some, then resume'),
  },
  {
    name: 'login',
    fits: (turn) =>
      isStatus(turn, 401, 403) || isError(turn, ...LOGIN_ERRORS) || (hasFailed(turn) && LOGIN_TEXT.test(words(turn))),
    verdict: person('not-logged-in', LOGIN),
  },
  {
    name: 'too many requests',
    fits: (turn) => isStatus(turn, 429) || isError(turn, 'rate_limit'),
    verdict: retry('rate-limited', 'The model service has reached its rate limit'),
  },
  {
    name: 'no such model',
    fits: (turn) => isError(turn, 'model_not_found'),
    verdict: fatal(
      'model-not-found',
      'The model does not exist or may not be used: correct `model` in the state or the config',
    ),
  },
  {
    name: 'service error',
    fits: isServiceFailure,
    verdict: retry('api-trouble', 'The model service has a temporary error'),
  },
  {
    name: 'request refused',
    fits: (turn) => (turn.output.last?.apiErrorStatus ?? 0) >= 400 || isError(turn, 'invalid_request'),
    verdict: fatal('request-refused', 'The model service rejects the request'),
  },
  {
    name: 'no such conversation',
    fits: (turn) => hasFailed(turn) && /No conversation found/.test(words(turn)),
    verdict: fatal(
      'session-missing',
      'Claude Code does not find the conversation to continue: use <reset>, or `raymond retry`',
    ),
  },
  {
    name: 'session id taken',
    fits: (turn) => hasNoResult(turn) && /is already in use/.test(turn.stderr),
    verdict: retry('session-in-use', 'The session id of this attempt is taken'),
  },
  {
    name: 'root',
    fits: (turn) => hasNoResult(turn) && /cannot be used with root\/sudo/.test(turn.stderr),
    verdict: fatal(
      'refused-as-root',
      'Claude Code does not skip permissions as root: run the worker as another user, or set IS_SANDBOX=1 in a sandbox',
    ),
  },
  {
    name: 'command line refused',
    fits: (turn) => hasNoResult(turn) && COMMAND_LINE_ERROR.test(turn.stderr),
    verdict: fatal(
      'bad-arguments',
      'Claude Code rejects its arguments or settings: check claude_args in the config, and its version',
    ),
  },
  {
    name: 'anything else',
    fits: () => true,
    verdict: (turn) => ({ kind: 'unclassified', message: explain(describeEnd(turn), turn) }),
  },
];

/** Judges a turn that has ended. */
export function classify(turn: EndedTurn): Verdict {
  const rule = RULES.find(({ fits }) => fits(turn));
  if (rule === undefined) throw new TypeError('the table of verdicts has no last rule');
  return rule.verdict(turn);
}

function limitVerdict(turn: EndedTurn): Verdict {
  const { rateLimit } = turn.output;
  const reset = rateLimit?.status === 'rejected' ? rateLimit.resetsAt : undefined;
  const resetsAt = reset ?? resetTime(words(turn), turn.now)?.getTime();
  if (resetsAt === undefined) {
    return {
      kind: 'usage-limit',
      message: explain('A usage limit of Claude is reached; resume when it has ended', turn),
    };
  }
  const message = explain(`A usage limit of Claude is reached until ${new Date(resetsAt).toISOString()}`, turn);
  return { kind: 'usage-limit', resetsAt, message };
}

function retry(reason: RetryReason, what: string): Rule['verdict'] {
  return (turn) => ({ kind: 'retry', reason, message: explain(what, turn) });
}

function person(reason: PersonReason, what: string): Rule['verdict'] {
  return (turn) => ({ kind: 'needs-person', reason, message: explain(what, turn) });
}

function fatal(reason: FatalReason, what: string): Rule['verdict'] {
  return (turn) => ({ kind: 'fatal', reason, message: explain(what, turn) });
}

/** Why a turn is retried. */
type RetryReason = 'rate-limited' | 'api-trouble' | 'session-in-use' | 'interrupted';

/** What only a person can fix. */
type PersonReason = 'not-logged-in' | 'billing' | 'not-installed' | 'no-journal';

/** Why the same turn would fail again. */
type FatalReason =
  | 'prompt-too-long'
  | 'taken-as-command'
  | 'model-not-found'
  | 'request-refused'
  | 'session-missing'
  | 'refused-as-root'
  | 'bad-arguments'
  | 'unstartable';

/**
 * The verdict on a turn. `message` tells a person what happened and what to do; `resetsAt` is in epoch milliseconds.
 */
export type Verdict =
  | { readonly kind: 'answered' }
  | (VerdictMessage & { readonly kind: 'usage-limit'; readonly resetsAt?: number })
  | (VerdictMessage & { readonly kind: 'retry'; readonly reason: RetryReason })
  | (VerdictMessage & { readonly kind: 'needs-person'; readonly reason: PersonReason })
  | (VerdictMessage & { readonly kind: 'fatal'; readonly reason: FatalReason })
  | (VerdictMessage & { readonly kind: 'over-budget' })
  | (VerdictMessage & { readonly kind: 'unclassified' });

interface VerdictMessage {
  readonly message: string;
}

const FAILURE_OF = {
  'usage-limit': 'UsageLimit',
  retry: 'ApiTrouble',
  'needs-person': 'NeedsPerson',
  fatal: 'ClaudeRefused',
  'over-budget': 'OverBudget',
  unclassified: 'ClaudeFailed',
} as const satisfies Record<Exclude<Verdict['kind'], 'answered'>, FailureType>;

/** The failure for a verdict other than `answered`; the failure table sets its retries. */
export function failureOf(verdict: Exclude<Verdict, { kind: 'answered' }>): FailureType {
  if (verdict.kind === 'retry' && verdict.reason === 'rate-limited') return 'RateLimited';
  return FAILURE_OF[verdict.kind];
}
