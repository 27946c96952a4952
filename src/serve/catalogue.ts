// The workflows that can be started: packages below the project's folder and the folders of the config, each with an id
// that stays the same while its path does. The API can start only these.
import { readdir } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { ClientError } from '../client/error.js';
import { usualBudget } from '../client/start/begin.js';
import { openPackage, type OpenPackage } from '../client/start/package.js';
import type { Project } from '../client/project/project.js';
import { packagesBelow } from '../packages/search.js';
import { originOf, packageKind } from '../protocol/scope.js';
import { defined, nearest } from '../protocol/text.js';
import { Refusal } from './problems.js';
import type { Workflow } from './types.js';

/** How long the list is cached, unless a request asks for a fresh one. */
const FRESH_MS = 30_000;

/** A workflow, and where it is. */
export interface Listed {
  readonly path: string;
  readonly workflow: Workflow;
  /** The id in its manifest. */
  readonly manifestId?: string;
}

/** Finds workflows. */
export class Catalogue {
  private scanned: { readonly at: number; readonly list: Promise<readonly Listed[]> } | undefined;

  constructor(private readonly project: Project) {}

  /** All of them by path; `rescan` ignores the cache. */
  async list(rescan = false): Promise<readonly Listed[]> {
    const now = performance.now();
    if (rescan || this.scanned === undefined || now - this.scanned.at > FRESH_MS) {
      const list = this.scan();
      this.scanned = { at: now, list };
      // The next call tries again.
      list.catch(() => (this.scanned = undefined));
    }
    return await this.scanned.list;
  }

  /** The workflow with an id, also one that was just written. Throws `NoSuchWorkflow`. */
  async find(id: string): Promise<Listed> {
    const known = (await this.list()).find(({ workflow }) => workflow.id === id);
    const found = known ?? (await this.list(true)).find(({ workflow }) => workflow.id === id);
    if (found !== undefined) return found;
    throw new Refusal('NoSuchWorkflow', `there is no workflow "${id}" here; GET /api/workflows lists them`);
  }

  /** The workflow with this id, this path, or this id in its manifest. Throws `InvalidUsage`, also for one that needs an input. */
  async startable(name: string): Promise<Listed> {
    const list = await this.list();
    const found = list.find(({ workflow, manifestId }) => [workflow.id, workflow.path, manifestId].includes(name));
    const ids = list.map(({ workflow }) => workflow.id);
    if (found === undefined) {
      const near = nearest(name, ids);
      const all = ids.length === 0 ? 'there are none' : `the workflows are ${ids.join(', ')}`;
      throw new ClientError(
        'InvalidUsage',
        `there is no workflow "${name}"${near === undefined ? '' : `, did you mean ${near}?`}; ${all}`,
      );
    }
    const { problem, input } = found.workflow;
    if (problem !== undefined) throw new ClientError('InvalidWorkflow', problem);
    if (input.mode === 'required')
      throw new ClientError(
        'InvalidUsage',
        `${name} needs an input; start it on the page, or with: raymond start ${found.workflow.path} --input TEXT`,
      );
    return found;
  }

  /** The id of the workflow at a path; undefined when it is not in the list. */
  async idOf(path: string): Promise<string | undefined> {
    return (await this.list()).find((one) => one.path === path)?.workflow.id;
  }

  private async scan(): Promise<readonly Listed[]> {
    const { root, config } = this.project;
    const folders = [root, ...(config.workflow_folders ?? []).map((folder) => resolve(root, folder))];
    const below = await Promise.all(
      folders.map(async (folder) => [...(await packagesBelow(folder)), ...(await zipsIn(folder))]),
    );
    const paths = [...new Set(below.flat())].sort();
    return await Promise.all(paths.map((path) => this.describe(path)));
  }

  private async describe(path: string): Promise<Listed> {
    const { root, raymondDir } = this.project;
    const shown = relative(root, path) === '' ? '.' : relative(root, path);
    const kind: Workflow['kind'] = packageKind(path) ?? 'directory';
    const base = { id: idOf(shown), path: shown, kind };
    try {
      const opened = await openPackage(path, { cwd: root, cacheDir: join(raymondDir, 'registry') });
      const workflow = { ...base, ...described(opened, this.project) };
      return { path: originOf(opened.scope), workflow, ...defined({ manifestId: opened.manifest?.id }) };
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      const input = { mode: 'optional' } as const;
      return { path, workflow: { ...base, name: basename(path), input, problem: error.message } };
    }
  }
}

function described({ name, manifest, asks }: OpenPackage, { config }: Project): Omit<Workflow, 'id' | 'path' | 'kind'> {
  const needed = manifest?.requiresHumanInput ?? 'auto';
  return {
    name: manifest?.name ?? name,
    input: manifest?.input ?? { mode: 'optional' },
    asks: needed === 'auto' ? asks.length > 0 : needed === 'true',
    defaultBudgetUsd: usualBudget(manifest, config),
    ...defined({ description: manifest?.description }),
  };
}

/** A path as one segment of an address; `.` alone would have another meaning there. */
function idOf(shown: string): string {
  return shown === '.' ? '~' : shown.split(sep).join('~');
}

async function zipsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []); // An unreadable folder has none.
  return names.filter((name) => packageKind(name) === 'zip').map((name) => join(folder, name));
}
