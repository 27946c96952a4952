// `raymond doctor`: checks everything that runs need. Starts no server, and creates no .raymond.
import { Redactor } from '../../activities/environment/redact.js';
import { packageFacts } from '../../host/self.js';
import { runWithin, type Check, type DoctorCheck } from '../checks/check.js';
import { nodeCheck, openProject, projectLooks } from '../checks/project.js';
import { LOGIN, promptChecks } from '../checks/prompts.js';
import { clusterCheck, embeddedLooks } from '../checks/temporal.js';
import { clusterOf, taskQueueOf } from '../../client/open.js';
import { EXIT } from '../exit.js';
import type { ConnectionFlags } from '../flags.js';
import { columns } from '../view/columns.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** Flags of `doctor`. */
export interface DoctorFlags extends ConnectionFlags {
  readonly json?: boolean;
  readonly deep?: boolean;
  readonly verbose?: boolean;
}

/** Longer than any single wait; all checks run in parallel. */
const LOOK_MS = 14_000;

/** Checks and prints; returns the exit code. */
export async function doctor(io: Io, flags: DoctorFlags): Promise<number> {
  const { project, check: config } = await openProject(io);
  const target = clusterOf(project, { choice: flags, env: io.env });
  const looks: readonly DoctorCheck[] = [
    ...promptChecks(io, {
      project,
      onWorkers: target !== undefined,
      verbose: flags.verbose === true || flags.json === true,
    }),
    ...(target === undefined
      ? embeddedLooks(project)
      : [clusterCheck(project, { target, taskQueue: taskQueueOf(project, flags), env: io.env })]),
    ...projectLooks(project, io.env),
  ];
  const looked = await Promise.all(looks.map((look) => runWithin(look, LOOK_MS)));
  const stored = flags.deep === true ? await (await import('../checks/stored.js')).storedFiles(project, io.env) : [];
  // Output of programs and servers may quote a credential.
  const redactor = new Redactor(io.env);
  const checks = [nodeCheck(packageFacts().engines.node), config, ...looked.flat(), ...stored].map((check) => ({
    ...check,
    detail: redactor.text(check.detail),
  }));
  const missing = checks.filter(({ status }) => status === 'failed');
  if (flags.json === true) await printDocument(io, 'doctor', { ok: missing.length === 0, checks });
  else {
    await io.show(tableOf(checks));
    io.say(verdict(checks));
  }
  return missing.length === 0 ? EXIT.completed : EXIT.unavailable;
}

function verdict(checks: readonly Check[]): string {
  const missing = checks.filter(({ status }) => status === 'failed').map(({ name }) => name);
  if (missing.length > 0) return `not ready, missing: ${[...new Set(missing)].join(', ')}`;
  const hasLogin = checks.every(({ name, status }) => name !== LOGIN || status === 'ok');
  return hasLogin ? 'ready to run' : 'ready for scripts; prompts need a login';
}

/** The advice is below the detail. */
function tableOf(checks: readonly Check[]): string {
  const rows = checks.flatMap(({ name, status, detail, todo }) => [
    [status, name, detail],
    ...(todo === undefined ? [] : [['', '', `→ ${todo}`]]),
  ]);
  return columns(rows);
}
