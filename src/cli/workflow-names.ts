// The workflows of a project, for a user who has named none. Loads no more than that needs: an error comes at once.
import { findProject } from '../client/project/project.js';
import { packagesBelow, shownPath } from '../packages/search.js';

/** Their paths, relative to `cwd`. */
export async function workflowNames(cwd: string): Promise<readonly string[]> {
  const { root } = await findProject(cwd);
  return (await packagesBelow(root)).map((path) => shownPath(path, cwd)).sort();
}

const NAMED_WORKFLOWS = 10;

/** The workflows of the project as the end of an error, when one is missing. */
export async function workflowsText(cwd: string): Promise<string> {
  const names = await workflowNames(cwd);
  if (names.length === 0) return '; to write a first workflow, run: raymond init';
  const more = names.length > NAMED_WORKFLOWS ? ', …' : '';
  return `; the workflows of this project: ${names.slice(0, NAMED_WORKFLOWS).join(', ')}${more}`;
}
