// One thing that `raymond doctor` looks at: what is there, whether that will do, and what to do when it will not.
import { messageOf } from '../../protocol/text.js';

/** How a check came out; `failed` = something that is needed is missing. */
export type CheckStatus = 'ok' | 'warning' | 'failed';

/** A check that is done. */
export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  readonly detail: string;
  /** Absent when there is nothing to do. */
  readonly todo?: string;
}

/** A check that may take its time; several of them may come out of one look. */
export interface Look {
  readonly name: string;
  readonly checks: () => Promise<readonly Check[]>;
}

/** All is well. */
export function ok(name: string, detail: string): Check {
  return { name, status: 'ok', detail };
}

/** What is needed is missing or does not work; without `todo` the detail says what to do. */
export function failed(name: string, detail: string, todo?: string): Check {
  return { name, status: 'failed', detail, ...(todo === undefined ? {} : { todo }) };
}

/** Runs will work, but not as well as they could, or not all of them. */
export function warning(name: string, detail: string, todo: string): Check {
  return { name, status: 'warning', detail, todo };
}

/** What a look found; one that takes too long or breaks has failed. */
export async function lookWithin({ name, checks }: Look, ms: number): Promise<readonly Check[]> {
  const todo = 'mend that, then call raymond doctor again';
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Check[]>((resolve) => {
    timer = setTimeout(() => resolve([failed(name, `no answer within ${ms / 1000} s`, todo)]), ms);
  });
  const looked = checks().catch((error: unknown) => [failed(name, messageOf(error), todo)]);
  return await Promise.race([looked, late]).finally(() => clearTimeout(timer));
}
