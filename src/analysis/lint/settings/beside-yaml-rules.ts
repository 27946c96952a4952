// Rules about files beside the states: those of a YAML package, whose states run in a private folder that contains nothing else, and those
// that a folder lacks. Pure.
import { filesReadBeside } from '../files/read-beside.js';
import { statesOf } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

function* filesBesideYaml(analysis: Analysis): Generator<FindingDetails> {
  const { scope, files } = analysis.graph.source;
  if (scope.kind !== 'yaml') return;
  const isThere = (path: string): boolean => [path, `${path}.js`, `${path}.ts`].some((name) => files.has(name));
  const reported = new Set<string>();
  for (const { state, at, path } of filesReadBeside(statesOf(analysis))) {
    if (isThere(path) || reported.has(state)) continue;
    reported.add(state);
    yield {
      at,
      state,
      message: `${path} is not in this folder: the states of a YAML package are written into a private folder, which has no other files`,
      fix: 'make the package a folder with this file, or write the content into a state',
    };
  }
}

function* filesMissing({ missingBeside = [] }: Analysis): Generator<FindingDetails> {
  for (const { state, at, path } of missingBeside)
    yield {
      at,
      state,
      message: `there is no file ${path} in the folder of the states`,
      fix: `add ${path}, or correct its name`,
    };
}

/** Rules about files beside the states. */
export const BESIDE_YAML_RULES: readonly Rule[] = [
  {
    id: 'file-beside-yaml',
    severity: 'warning',
    summary: 'A script of a YAML package looks for a file beside its state, but a YAML package contains only states.',
    why: 'A worker writes the states of a YAML package into a private folder, and RAYMOND_STATE_DIR names this folder. Other files beside the YAML file are not there.',
    check: filesBesideYaml,
  },
  {
    id: 'missing-file-beside',
    severity: 'warning',
    summary:
      'A state uses a file in the folder of the states, such as a helper script or a module, but there is no such file.',
    why: 'A script that runs, loads or reads a file which does not exist usually fails, and then the agent fails.',
    check: filesMissing,
  },
];
