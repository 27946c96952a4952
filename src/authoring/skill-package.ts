// Packages a workflow as a skill: a folder with the package, the packages that it names, a script that runs it, and the
// page that tells an agent when and how. The workflow is opened as a start would open it, so that its mistakes are found now.
import { mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openPackage, type OpenPackage } from '../client/start/package.js';
import { explainingWrites } from '../host/files.js';
import { readPlainText } from '../host/plain-file.js';
import { filesOfFolder, unconvertible, type PackageFile, type PackageFiles } from '../packages/convert/files.js';
import { put, refuseOccupied } from '../packages/convert/write.js';
import { readWhole } from '../packages/error.js';
import { MAX_FILE_BYTES, MAX_PACKAGE_BYTES } from '../packages/limits.js';
import { PLATFORM } from '../packages/state.js';
import { namedBy } from '../packages/travel.js';
import type { Scope } from '../protocol/scope.js';
import { forAuthors, pathOf, type AuthorPlace } from './convert.js';
import { runnerText, skillName, skillText } from './skill-text.js';

/** The workflow as the user named it, and the target; absent = below `skills`, by its name. */
interface SkillRequest {
  readonly from: string;
  readonly to?: string;
  readonly skills: string;
  readonly force?: boolean;
}

/** A skill that was written: its folder, and its files relative to it. */
interface WrittenSkill {
  readonly name: string;
  readonly path: string;
  readonly files: readonly string[];
}

/** Makes the skill. Throws `InvalidWorkflow`, and `UnwritableError`. */
export async function packageSkill(
  { from, to, skills, force = false }: SkillRequest,
  place: AuthorPlace,
): Promise<WrittenSkill> {
  return await forAuthors(async () => {
    const workflow = await openPackage(await pathOf(from, place), { ...place, check: { ignore: [] } });
    const name = skillName(workflow.manifest?.id ?? workflow.name);
    const path = to ?? join(skills, name);
    await explainingWrites(path, async () => void (await mkdir(dirname(path), { recursive: true })));
    const destination = { path, force, strangerIn: notMadeHere };
    await refuseOccupied(destination);
    const files = await filesOf(workflow, name);
    await put({ kind: 'folder', files }, destination);
    return { name, path, files: [...files.keys()] };
  });
}

/** The first line of every runner, by which a skill is recognized. */
const MARK = '# Made by "raymond package"';

async function notMadeHere(path: string): Promise<string | undefined> {
  const runner = await readPlainText(join(path, 'run.sh'), MAX_FILE_BYTES).catch(() => ''); // Absent: the folder is not ours.
  return runner.includes(MARK) ? undefined : (await readdir(path))[0];
}

async function filesOf(workflow: OpenPackage, name: string): Promise<PackageFiles> {
  const packages = await packagesOf(workflow.scope);
  const package_ = basename(workflow.scope.path);
  return new Map([
    ['SKILL.md', textFile(skillText(workflow, name))],
    ['run.sh', { ...textFile(runnerText({ mark: MARK, file: package_, workflow })), executable: true }],
    ...packages.flatMap((files) => [...files]),
  ]);
}

function textFile(text: string): PackageFile {
  return { content: Buffer.from(text), executable: false };
}

/** The package and those that it names, directly or indirectly, all in the same folder. */
async function packagesOf(root: Scope): Promise<readonly PackageFiles[]> {
  const found = new Map<string, Scope>([[root.path, root]]);
  const problems: string[] = [];
  for (const scope of found.values()) {
    const { scopes, warnings } = await namedBy(scope, PLATFORM);
    problems.push(...warnings);
    for (const named of scopes) {
      if (dirname(named.path) === dirname(root.path)) found.set(named.path, named);
      else problems.push(`${scope.path} names ${named.path}, which is in another folder; move it beside ${scope.path}`);
    }
  }
  if (problems.length > 0) throw unconvertible(problems);
  return await Promise.all([...found.values()].map(copyOf));
}

/** The files of a package by their paths in the skill, without its tests and subfolders. */
async function copyOf({ kind, path }: Scope): Promise<PackageFiles> {
  const name = basename(path);
  if (kind !== 'directory')
    return new Map([[name, { content: await readWhole(path, MAX_PACKAGE_BYTES), executable: false }]]);
  const entries = await readdir(path, { withFileTypes: true });
  const without = entries.filter((entry) => entry.isDirectory() || /\.test\.ya?ml$/.test(entry.name));
  const files = await filesOfFolder(path, new Set(without.map((entry) => entry.name)));
  return new Map([...files].map(([file, content]) => [`${name}/${file}`, content]));
}
