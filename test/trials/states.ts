// The text of generated states: a script or a prompt that notes its begin and end in a file of its own, waits a little, and says its tags.
// Must not decide which tags.
/** Stands for the states visited so far in a state's tags. */
export const PATH = '@PATH@';

interface StateOptions {
  readonly name: string;
  /** The tags, with `@PATH@` for the states visited so far. */
  readonly tags: string;
  /** The file in which begin and end are noted. */
  readonly effects: string;
  readonly ms: number;
  /** A file in the agent's folder that gets the path; absent = none. */
  readonly file?: string;
}

/** A bash script; `retries`: how often it is tried again after its own failure (absent: never, as for users). */
export function scriptState(options: StateOptions & { readonly retries?: number }): string {
  const { name, tags, effects, ms, file, retries } = options;
  return [
    ...(retries === undefined ? [] : [`# raymond: retries=${retries}`]),
    'path="${RAYMOND_INPUT:-}"',
    // Results of awaited agents are JSON, and long paths are clumsy: a sum says the same.
    'case "$path" in *[!A-Za-z0-9.]*) path="J$(printf %s "$path" | cksum | cut -d" " -f1)";; esac',
    'if [ ${#path} -gt 150 ]; then path="L$(printf %s "$path" | cksum | cut -d" " -f1)"; fi',
    `path="\${path:+$path.}${name}"`,
    `effects='${effects}'; state='${name}.sh'`,
    LIBRARY,
    `begin; sleep ${ms / 1000}`,
    // On a full disk it waits for room: a script that fails there fails by itself.
    ...(file === undefined ? [] : [`until printf '%s\\n' "$path" > "$RAYMOND_AGENT_ID.${file}"; do sleep 0.2; done`]),
    'note E',
    `printf '%s\\n' '${tags.replaceAll(PATH, `'"$path"'`)}'`,
    '',
  ].join('\n');
}

const LIBRARY = [
  'note() { printf "%s %s %s %s %s %s 0\\n" "$1" "$RAYMOND_TURN_ID" "$RAYMOND_ATTEMPT" "$state" "$$" "$(date +%s%3N)" >> "$effects"; }',
  'others() { awk -v t="$RAYMOND_TURN_ID" -v a="$RAYMOND_ATTEMPT" \'$2 == t && $3 != a && $1 == "B" { p[$3] = $5 } $2 == t && $1 == "E" { delete p[$3] } END { for (k in p) print p[k] }\' "$effects"; }',
  'begin() {',
  '  for pid in $(others); do',
  '    case "$(sed "s/.*) //" "/proc/$pid/stat" 2>/dev/null)" in ""|Z*|X*) ;; *) note O;; esac',
  '  done',
  '  note B',
  '}',
].join('\n');

/** A prompt that tells the fake Claude what to answer. */
export function promptState({ name, tags, effects, ms, usd, file }: StateOptions & { readonly usd: number }): string {
  const text = tags.replaceAll(PATH, `{{input}}.${name}`);
  const write = file === undefined ? {} : { write: { path: `{{agent_id}}.${file}`, text: `{{input}}.${name}\n` } };
  return `State ${name}.\nFAKE${JSON.stringify({ text, costUsd: usd, delayMs: ms, effects, ...write })}EKAF\n`;
}
