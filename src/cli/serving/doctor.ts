// `raymond doctor`: is everything there that runs need? Starts no server, and writes nothing where there is no .raymond yet.
import { Redactor } from '../../activities/environment/redact.js';
import { packageFacts } from '../../host/self.js';
import { lookWithin, type Check, type Look } from '../checks/check.js';
import { nodeCheck, openProject, projectLooks } from '../checks/project.js';
import { promptLooks } from '../checks/prompts.js';
import { clusterLook, embeddedLooks } from '../checks/temporal.js';
import { clusterOf, taskQueueOf } from '../../client/open.js';
import { EXIT } from '../exit.js';
import type { ConnectionFlags } from '../flags.js';
import { columns } from '../view/format.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** Flags of `doctor`. */
export interface DoctorFlags extends ConnectionFlags {
  readonly json?: boolean;
  readonly deep?: boolean;
}

/** Longer than anything that is waited for, and all is looked at side by side. */
const LOOK_MS = 14_000;

/** Looks and prints; gives the exit code. */
export async function doctor(io: Io, flags: DoctorFlags): Promise<number> {
  const { project, check: config } = await openProject(io);
  const target = clusterOf(project, { choice: flags, env: io.env });
  const looks: readonly Look[] = [
    ...promptLooks(io, { project, onWorkers: target !== undefined }),
    ...(target === undefined
      ? embeddedLooks(project)
      : [clusterLook(project, { target, taskQueue: taskQueueOf(project, flags), env: io.env })]),
    ...projectLooks(project, io.env),
  ];
  const looked = await Promise.all(looks.map((look) => lookWithin(look, LOOK_MS)));
  const stored = flags.deep === true ? await (await import('../checks/stored.js')).storedFiles(project, io.env) : [];
  // What programs and servers say may quote a credential.
  const redactor = new Redactor(io.env);
  const checks = [nodeCheck(packageFacts().engines.node), config, ...looked.flat(), ...stored].map((check) => ({
    ...check,
    detail: redactor.text(check.detail),
  }));
  const missing = checks.filter(({ status }) => status === 'failed');
  if (flags.json === true) await printDocument(io, 'doctor', { ok: missing.length === 0, checks });
  else {
    await io.show(tableOf(checks));
    const names = [...new Set(missing.map(({ name }) => name))].join(', ');
    io.say(missing.length === 0 ? 'all that is needed is there' : `needed and missing: ${names}`);
  }
  return missing.length === 0 ? EXIT.completed : EXIT.unavailable;
}

/** What to do stands below the detail. */
function tableOf(checks: readonly Check[]): string {
  const rows = checks.flatMap(({ name, status, detail, todo }) => [
    [status, name, detail],
    ...(todo === undefined ? [] : [['', '', `→ ${todo}`]]),
  ]);
  return columns(rows);
}
