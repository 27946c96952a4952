// `raymond config`: the effective configuration and its sources.
import { configKeys } from '../../client/project/config.js';
import { findProject } from '../../client/project/project.js';
import { defined } from '../../protocol/text.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** Prints them; gives the exit code. */
export async function config(
  io: Io,
  { json = false, changed = false }: { readonly json?: boolean; readonly changed?: boolean },
): Promise<number> {
  const project = await findProject(io.cwd);
  for (const text of project.warnings ?? []) io.say(`warning: ${text}`);
  const keys = configKeys().filter(({ name }) => !changed || project.config[name] !== undefined);
  const values = keys.map(({ name, byDefault }) => {
    const set = project.config[name];
    const file = project.configFiles.find((one) => one.config[name] !== undefined)?.path;
    const origin = file ?? (byDefault === undefined ? 'not set' : 'default');
    return { name, value: shown(set ?? byDefault), origin };
  });
  if (json) {
    const { root, configFiles } = project;
    const file = configFiles[0]?.path;
    await printDocument(io, 'config', { root, ...defined({ file }), values });
    return 0;
  }
  const width = Math.max(...values.map(({ name }) => name.length));
  const lines = values.map(
    ({ name, value, origin }) =>
      `${name.padEnd(width)} = ${value === undefined ? '(none)' : JSON.stringify(value)}  # ${origin}`,
  );
  await io.show(lines.join('\n') || 'the config sets no keys');
  return 0;
}

/** Accounts without their secrets. */
function shown(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => {
    if (typeof item !== 'object' || item === null || !('env' in item)) return item;
    return { ...item, env: Object.keys(item.env as object) };
  });
}
