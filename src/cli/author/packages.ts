// `raymond convert` and `raymond package` turn a package into another form, or into a skill; `raymond skill install`
// teaches agents about Raymond.
import { join, relative, resolve } from 'node:path';
import { convert as convertPackage } from '../../authoring/convert.js';
import { installSkill } from '../../authoring/shipped.js';
import { packageSkill } from '../../authoring/skill-package.js';
import { projectAt } from '../../client/project/project.js';
import { defined } from '../../protocol/text.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** What to convert, and how. */
interface ConvertCall {
  readonly from: string;
  readonly to: string;
  readonly flags: ConvertFlags;
}

/** Flags of `convert`. */
export interface ConvertFlags {
  readonly without?: readonly string[];
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Converts; returns the exit code. */
export async function convert(io: Io, { from, to, flags }: ConvertCall): Promise<number> {
  const { cwd, say, show } = io;
  const { raymondDir } = await projectAt(cwd);
  const { json = false, ...how } = flags;
  const location = { cwd, cacheDir: join(raymondDir, 'registry') };
  const { files, warnings } = await convertPackage({ from, to, ...how }, location);
  for (const warning of warnings) say(`warning: ${warning}`);
  if (json) await printDocument(io, 'convert', { written: to, files: [...files], warnings: [...warnings] });
  else await show(`wrote ${to}: ${files.join(', ')}`);
  return 0;
}

/** The folder where agents look for the skills of a project. */
const SKILLS = '.claude/skills';

/** Flags of `package` and `skill install`. */
export interface SkillFlags {
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Copies the skill about Raymond into the project; returns the exit code. */
export async function install(io: Io, { force = false, json = false }: SkillFlags): Promise<number> {
  const { root } = await projectAt(io.cwd);
  const folder = join(root, SKILLS, 'raymond');
  const { written, unchanged, removed } = await installSkill(folder, { force });
  const shown = (names: readonly string[]): string[] => names.map((name) => relative(io.cwd, join(folder, name)));
  if (json) {
    await printDocument(io, 'skill install', {
      written: shown(written),
      unchanged: shown(unchanged),
      removed: shown(removed),
    });
    return 0;
  }
  const lines = [...shown(written).map((name) => `wrote ${name}`), ...shown(removed).map((name) => `removed ${name}`)];
  await io.show(lines.length === 0 ? `${relative(io.cwd, folder)} is up to date` : lines.join('\n'));
  return 0;
}

/** Makes a skill of a workflow; returns the exit code. */
export async function packageCommand(
  io: Io,
  { from, to, flags }: { readonly from: string; readonly to: string | undefined; readonly flags: SkillFlags },
): Promise<number> {
  const { cwd } = io;
  const { root, raymondDir } = await projectAt(cwd);
  const target = to === undefined ? undefined : resolve(cwd, to);
  const request = { from, skills: join(root, SKILLS), force: flags.force === true, ...defined({ to: target }) };
  const { name, path, files } = await packageSkill(request, { cwd, cacheDir: join(raymondDir, 'registry') });
  const names = files.map((file) => relative(cwd, join(path, file)));
  if (flags.json === true) await printDocument(io, 'package', { name, written: names });
  else await io.show(names.map((file) => `wrote ${file}`).join('\n'));
  return 0;
}
