// Programs whose exit code 1 is no failure: they have found nothing, or a difference. Pure.

const SEARCHERS =
  /^(?:\w+=\S* )*((?:grep|egrep|fgrep|rg|pgrep|diff|cmp|expr|which)(?=\s)|git (?:grep|describe|diff (?=[^\n]*--(?:exit-code|no-index)))|command -v|type -[pP]|jq (?=-\w*e\b|--exit-status)|ls (?=[^\n]*\*))/;

/** The program of a command, if it is one of these. */
export function searcher(command: string): string | undefined {
  return SEARCHERS.exec(command)?.[1]?.trim();
}

/** True for a program whose output says what differs: there is one only if its exit code is 1. */
export function differs(program: string): boolean {
  return /^(?:diff|git diff)$/.test(program);
}
