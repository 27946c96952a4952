// The command line of the fake Claude: the real CLI's flags that Raymond uses, and the real one's refusals. Unknown flags are refused.
// Must not read files: transcripts are transcript.mjs.

const SWITCHES = [
  '--print',
  '--verbose',
  '--include-partial-messages',
  '--fork-session',
  '--dangerously-skip-permissions',
  '--disable-slash-commands',
  '--strict-mcp-config',
  '--no-session-persistence',
];
const SINGLE = [
  '--output-format',
  '--session-id',
  '--resume',
  '--model',
  '--effort',
  '--permission-mode',
  '--permission-prompts',
  '--max-budget-usd',
  '--max-turns',
  '--settings',
  '--setting-sources',
  '--append-system-prompt',
  '--system-prompt',
  '--fallback-model',
  '--json-schema',
];
const LISTS = ['--allowedTools', '--disallowedTools', '--add-dir', '--mcp-config'];
const ALIASES = {
  '-p': '--print',
  '-r': '--resume',
  '--allowed-tools': '--allowedTools',
  '--disallowed-tools': '--disallowedTools',
};
const MODES = ['acceptEdits', 'auto', 'bypassPermissions', 'manual', 'dontAsk', 'plan'];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What the real CLI says on stderr before it exits with 1. */
export class Refusal extends Error {}

/** Reads the command line: flags by their long name, lists as arrays, switches as true, and `words` beside them. */
export function parseFlags(argv) {
  const flags = {};
  const words = [];
  for (let at = 0; at < argv.length; at += 1) {
    const [written, attached] = splitAttached(argv[at]);
    const name = ALIASES[written] ?? written;
    if (!name.startsWith('-')) words.push(argv[at]);
    else if (SWITCHES.includes(name)) flags[name] = true;
    else if (SINGLE.includes(name)) flags[name] = attached ?? required(argv[(at += 1)], name);
    else if (LISTS.includes(name)) {
      flags[name] = [...(flags[name] ?? []), ...(attached ?? required(argv[(at += 1)], name)).split(',')];
      // A list swallows every word that follows, as the real one does.
      while (attached === undefined && at + 1 < argv.length && !argv[at + 1].startsWith('-'))
        flags[name].push(argv[(at += 1)]);
    } else throw new Refusal(`error: unknown option '${argv[at]}'`);
  }
  check(flags);
  return { flags, words };
}

function splitAttached(argument) {
  const equals = argument.startsWith('--') ? argument.indexOf('=') : -1;
  return equals < 0 ? [argument] : [argument.slice(0, equals), argument.slice(equals + 1)];
}

function required(value, name) {
  if (value === undefined) throw new Refusal(`error: option '${name}' argument missing`);
  return value;
}

function check(flags) {
  const mode = flags['--permission-mode'];
  const budget = flags['--max-budget-usd'];
  if (flags['--print'] !== true) throw new Refusal('fake claude: only -p is understood');
  if (mode !== undefined && !MODES.includes(mode)) {
    throw new Refusal(
      `error: option '--permission-mode <mode>' argument '${mode}' is invalid. Allowed choices are ${MODES.join(', ')}.`,
    );
  }
  if (budget !== undefined && !(Number(budget) > 0)) {
    throw new Refusal(
      `error: option '--max-budget-usd <amount>' argument '${budget}' is invalid. --max-budget-usd must be a number greater than 0`,
    );
  }
  if (flags['--output-format'] !== 'stream-json')
    throw new Refusal('fake claude: only --output-format stream-json is understood');
  if (flags['--verbose'] !== true) {
    throw new Refusal('Error: When using --print, --output-format=stream-json requires --verbose');
  }
  checkSession(flags);
}

function checkSession(flags) {
  const id = flags['--session-id'];
  if (id !== undefined && !UUID.test(id)) throw new Refusal('Error: Invalid session ID. Must be a valid UUID.');
  if (id !== undefined && flags['--resume'] !== undefined && flags['--fork-session'] !== true) {
    throw new Refusal('Error: --session-id with --continue or --resume also needs --fork-session.');
  }
}
