// The command line and the environment of the server. Every setting has a measured or stated
// reason.
import { SEARCH_ATTRIBUTES } from '../protocol/ids.js';
import { type Ports, HOST } from './ports.js';

const PRAGMAS = {
  // Commits survive the end of the process; the last ones may be lost in a power failure.
  journal_mode: 'WAL',
  synchronous: 'NORMAL',
  // The last safeguard: a second server on the same database ends at once, whatever our record and
  // lock say.
  locking_mode: 'EXCLUSIVE',
};

const DYNAMIC_CONFIG = {
  // The default, 20 reads a second, makes every turn take 100 ms.
  'history.transferProcessorMaxPollRPS': 2000,
  'system.enableActivityEagerExecution': true,
  // Each task of a workflow that no worker answered gets more time than the one before, by default up to ten minutes: a
  // run whose worker was frozen, overloaded or had a bug would stand still for that long afterwards.
  'history.workflowTaskRetryMaxInterval': '"10s"',
};

const NO_ENV = 'no-env.yaml';

/** True for the command line of a server that Raymond started. */
export function isOwnServer(commandLine: readonly string[]): boolean {
  return ['start-dev', '--db-filename', NO_ENV].every((word) => commandLine.includes(word));
}

/** The ports of a server, and its database relative to its working directory; without one all is in memory. */
interface ServerAddress {
  readonly ports: Ports;
  readonly database?: string;
}

/** The arguments of `temporal` for a server. */
export function serverArguments({ ports, database }: ServerAddress): string[] {
  return [
    ...['server', 'start-dev', '--ip', HOST, '--port', `${ports.grpc}`, '--ui-port', `${ports.ui}`],
    ...['--http-port', `${ports.http}`, '--metrics-port', `${ports.metrics}`],
    ...(database === undefined ? ['--headless'] : ['--db-filename', database, ...pairs('--sqlite-pragma', PRAGMAS)]),
    // A file that never exists: a developer's `temporal env` must not add flags such as a command
    // timeout.
    ...['--log-level', 'error', '--env-file', NO_ENV],
    ...pairs('--dynamic-config-value', DYNAMIC_CONFIG),
    ...pairs('--search-attribute', SEARCH_ATTRIBUTES),
  ];
}

function pairs(flag: string, values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(values).flatMap(([key, value]) => [flag, `${key}=${String(value)}`]);
}

const PASSED_ON = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['GOMAXPROCS', 'GOMEMLIMIT', 'GOGC', 'GODEBUG'],
  ...['SystemRoot', 'ComSpec', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
];

/** With 50 open runs, collecting garbage more often saves 20 to 25 of 185 MB, for no processor time that could be measured. */
const DEFAULTS = { GOGC: '50' };

/**
 * The environment of the server. It outlives the process that starts it, so it gets no secrets, no
 * `TEMPORAL_*` settings, and no marker of a turn, which would let it be swept with that turn.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const present = PASSED_ON.filter((name) => process.env[name] !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(present.map((name) => [name, process.env[name]])) };
}
