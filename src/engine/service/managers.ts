// The two service managers of a user: where each reads its files, and its commands.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { plistText, plistWords, unitText, unitWords, type ServiceFacts } from './file.js';

/** A command with its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** The interface of a service manager, with a service by its name. */
export interface Manager {
  readonly kind: 'systemd' | 'launchd';
  readonly file: string;
  readonly text: (facts: ServiceFacts) => string;
  /** Words quoted for its file. */
  readonly words: (words: readonly string[]) => string;
  /** Succeeds when the manager runs for this user. */
  readonly probe: Command;
  readonly missing: string;
  readonly start: Command;
  readonly state: Command;
  /** A short word for the answer to `state`; undefined = the manager does not know the service. */
  readonly stateIn: (answer: string) => string | undefined;
  /** Starts it now and at login. */
  readonly enable: (facts: { readonly isChanged: boolean; readonly isKnown: boolean }) => readonly Command[];
  /** Stops it, for good. */
  readonly disable: (isKnown: boolean) => readonly Command[];
  /** After its file has been removed. */
  readonly forget: readonly Command[];
}

/** systemd on Linux; `env` = that of the user. */
export function systemd(name: string, env: NodeJS.ProcessEnv): Manager {
  const unit = `${name}.service`;
  const call = (...args: string[]): Command => ['systemctl', '--user', ...args];
  return {
    kind: 'systemd',
    file: join(env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? homedir(), '.config'), 'systemd', 'user', unit),
    text: unitText,
    words: unitWords,
    probe: call('show-environment'),
    missing: 'no systemd runs for this user (containers and su have none: log in, or use ssh)',
    start: call('start', unit),
    state: call('is-active', unit),
    stateIn: (answer) => answer.trim() || undefined,
    enable: () => [call('daemon-reload'), call('enable', '--now', unit)],
    disable: () => [call('disable', '--now', unit)],
    forget: [call('daemon-reload')],
  };
}

/** launchd on macOS; `uid` = of the user. */
export function launchd(
  name: string,
  { env, uid }: { readonly env: NodeJS.ProcessEnv; readonly uid: number },
): Manager {
  const file = join(env['HOME'] ?? homedir(), 'Library', 'LaunchAgents', `${name}.plist`);
  const [domain, target] = [`gui/${uid}`, `gui/${uid}/${name}`];
  const call = (...args: string[]): Command => ['launchctl', ...args];
  return {
    kind: 'launchd',
    file,
    text: plistText,
    words: plistWords,
    probe: call('print', domain),
    missing: 'no launchd runs for the desktop of this user (log in at the desktop)',
    start: call('kickstart', target),
    state: call('print', target),
    stateIn: (answer) => /^\s*state = (.+)$/m.exec(answer)?.[1],
    // A known service must be booted out before it is bootstrapped.
    enable: ({ isChanged, isKnown }) => {
      if (isKnown && !isChanged) return [call('enable', target), call('kickstart', target)];
      const before = isKnown ? [call('bootout', target)] : [];
      return [...before, call('enable', target), call('bootstrap', domain, file)];
    },
    disable: (isKnown) => (isKnown ? [call('bootout', target)] : []),
    forget: [],
  };
}
