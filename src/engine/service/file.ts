// The file that a user's service manager reads about an engine: a systemd unit, or a launchd property list. Pure text.

/** The content of both; all paths are absolute. */
export interface ServiceFacts {
  readonly name: string;
  /** The project's folder. */
  readonly root: string;
  readonly log: string;
  /** The program with its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** How long the engine may take to end after SIGTERM. */
  readonly stopSeconds: number;
}

const INTERVAL_SECONDS = 300;
const STARTS_IN_INTERVAL = 5;
const AGAIN_SECONDS = 5;

/** Wrong usage (also: another process is the engine), and a forced end: a restart would not help. */
const FINAL_EXITS = '64 130';

/** A unit for systemd's manager of a user (systemd.service(5)). */
export function unitText({ root, log, command, environment, stopSeconds }: ServiceFacts): string {
  const variables = Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`);
  return `[Unit]
Description=Raymond engine of ${percents(root)}
StartLimitIntervalSec=${INTERVAL_SECONDS}
StartLimitBurst=${STARTS_IN_INTERVAL}

[Service]
Type=exec
WorkingDirectory=${percents(root)}
${variables.join('\n')}
# The colon: no variable is replaced in the arguments.
ExecStart=:${unitWords(command)}
StandardOutput=append:${percents(log)}
StandardError=inherit

# An engine that was stopped, or has nothing to do, ends with 0 and stays stopped.
Restart=on-failure
RestartSec=${AGAIN_SECONDS}
RestartPreventExitStatus=${FINAL_EXITS}

# Only the engine gets the signal: it lets its turns end, and its Temporal server survives a crash of it.
KillMode=process
TimeoutStopSec=${stopSeconds}

[Install]
WantedBy=default.target
`;
}

/** Words quoted for a unit. */
export function unitWords(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

/** A word as systemd reads it (systemd.syntax(7)). */
function quoted(word: string): string {
  return `"${percents(word).replace(/["\\]/g, '\\$&')}"`;
}

function percents(text: string): string {
  return text.replaceAll('%', '%%');
}

/** A property list for launchd (launchd.plist(5)). */
export function plistText({ name, root, log, command, environment, stopSeconds }: ServiceFacts): string {
  const variables = Object.entries(environment).map(([key, value]) => `    ${keyed(key, value)}`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  ${keyed('Label', name)}
  <key>ProgramArguments</key>
  <array>
${plistWords(command)}
  </array>
  ${keyed('WorkingDirectory', root)}
  <key>EnvironmentVariables</key>
  <dict>
${variables.join('\n')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>30</integer>
  <key>ExitTimeOut</key><integer>${stopSeconds}</integer>
  <key>AbandonProcessGroup</key><true/>
  ${keyed('StandardOutPath', log)}
  ${keyed('StandardErrorPath', log)}
</dict>
</plist>
`;
}

/** Words for a property list. */
export function plistWords(words: readonly string[]): string {
  return words.map((word) => `    <string>${inXml(word)}</string>`).join('\n');
}

function keyed(key: string, value: string): string {
  return `<key>${inXml(key)}</key><string>${inXml(value)}</string>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function inXml(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign);
}
