// One check of `raymond doctor`: what was found, whether it is enough, and what to do if not.
import { messageOf } from '../../protocol/text.js';

/** The outcome of a check; `failed` = something required is missing. */
type CheckStatus = 'ok' | 'warning' | 'failed';

/** A check that is done. */
export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  readonly detail: string;
  /** Absent when there is nothing to do. */
  readonly todo?: string;
}

/** A check that may take time, and may give several results. */
export interface DoctorCheck {
  readonly name: string;
  readonly checks: () => Promise<readonly Check[]>;
}

/** Everything is all right. */
export function ok(name: string, detail: string): Check {
  return { name, status: 'ok', detail };
}

/** Something required is missing or does not work; without `todo` the detail says what to do. */
export function failed(name: string, detail: string, todo?: string): Check {
  return { name, status: 'failed', detail, ...(todo === undefined ? {} : { todo }) };
}

/** Runs will work, but with a limitation. */
export function warning(name: string, detail: string, todo: string): Check {
  return { name, status: 'warning', detail, todo };
}

/** The results of a check; one that takes too long or throws has failed. */
export async function runWithin({ name, checks }: DoctorCheck, ms: number): Promise<readonly Check[]> {
  const todo = 'fix that, then run raymond doctor again';
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Check[]>((resolve) => {
    timer = setTimeout(() => resolve([failed(name, `no answer within ${ms / 1000} s`, todo)]), ms);
  });
  const results = checks().catch((error: unknown) => [failed(name, messageOf(error), todo)]);
  return await Promise.race([results, late]).finally(() => clearTimeout(timer));
}
