// What becomes of a Claude turn: the verdicts, and which failure of the table each of them is. Must not judge; classify.ts does.
import type { FailureType } from '../../protocol/failure.js';

/** Why a turn is tried again. */
export type RetryReason = 'rate-limited' | 'api-trouble' | 'session-in-use' | 'interrupted';

/** What only a person can mend. */
export type PersonReason = 'not-logged-in' | 'billing' | 'not-installed' | 'no-journal';

/** Why the same turn would fail again. */
export type FatalReason =
  | 'prompt-too-long'
  | 'taken-as-command'
  | 'model-not-found'
  | 'request-refused'
  | 'session-missing'
  | 'refused-as-root'
  | 'bad-arguments'
  | 'unstartable';

/** The judgement on a turn. `message` says to a person what happened and what to do; `resetsAt` is in epoch milliseconds. */
export type Verdict =
  | { readonly kind: 'answered' }
  | (Told & { readonly kind: 'usage-limit'; readonly resetsAt?: number })
  | (Told & { readonly kind: 'retry'; readonly reason: RetryReason })
  | (Told & { readonly kind: 'needs-person'; readonly reason: PersonReason })
  | (Told & { readonly kind: 'fatal'; readonly reason: FatalReason })
  | (Told & { readonly kind: 'over-budget' })
  | (Told & { readonly kind: 'unclassified' });

interface Told {
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

/** The failure that a verdict other than `answered` is; how patiently it is met stands in the failure's own table. */
export function failureOf(verdict: Exclude<Verdict, { kind: 'answered' }>): FailureType {
  if (verdict.kind === 'retry' && verdict.reason === 'rate-limited') return 'RateLimited';
  return FAILURE_OF[verdict.kind];
}
