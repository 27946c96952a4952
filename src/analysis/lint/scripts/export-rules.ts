// Finds variables that a script sets in its environment for another state: they end with the process of the script.
import { executorOf } from '../../../protocol/language/resolve.js';
import { reachableFrom } from '../../graph.js';
import { hasUnknownTargets, plainText, scriptsOf, type ScriptState } from '../helpers.js';
import { mayBeBound, SCRIPT_VARIABLES } from '../passed.js';
import type { Analysis, FindingDetails } from '../rule.js';

/** A variable that a script sets in its environment, though it runs no program that could read it. */
interface Export {
  readonly state: ScriptState;
  readonly name: string;
  readonly at: number;
}

/** Reports the exports that only another state reads, with a default or in a program. */
export function* exportsForOthers(analysis: Analysis): Generator<FindingDetails> {
  if (hasUnknownTargets(analysis)) return;
  const scripts = scriptsOf(analysis).filter(({ file }) => !analysis.syntax.has(file));
  const environment = analysis.graph.source.parsedManifest?.environment ?? {};
  for (const { state, name, at } of scripts.flatMap(exportsOf)) {
    if (environment[name] !== undefined || SCRIPT_VARIABLES.includes(name)) continue;
    const reached = reachableFrom(analysis.graph, { from: [state.file] });
    const reader = scripts.find(
      (other) =>
        other !== state &&
        reached.has(other.file) &&
        !mayBeBound(analysis, { file: other.file, name }) &&
        readsWithDefault(other, name),
    );
    if (reader === undefined) continue;
    yield {
      at: state.source.raw.at(at),
      state: state.file,
      message: `${reader.file} does not get ${name}: exported variables are lost when a script ends`,
      fix: `pass it as an attribute (${name.toLowerCase()}="…"), or write it to a file`,
    };
  }
}

function exportsOf(state: ScriptState): readonly Export[] {
  const text = plainText(state);
  const isBash = executorOf(state.file) === 'bash';
  const pattern = isBash
    ? /^[ \t]*(?:export|declare -x)[ \t]+([A-Za-z_]\w*)=/gm
    : /^[ \t]*(?:os\.)?environ\[["']([A-Za-z_]\w*)["']\]\s*=(?!=)|^[ \t]*process\.env(?:\.([A-Za-z_]\w*)|\[["']([A-Za-z_]\w*)["']\])\s*=(?!=)/gm;
  const all = [...text.matchAll(pattern)].map((match) => ({ match, name: match[1] ?? match[2] ?? match[3] ?? '' }));
  const last = all.at(-1)?.match;
  if (last === undefined) return [];
  const rest = text.slice(last.index + last[0].length);
  const runs = isBash
    ? !rest
        .split('\n')
        .slice(1)
        .every((line) => ONLY_PRINTS.test(line.trim()))
    : RUNS_PROGRAMS.test(text);
  if (runs) return [];
  const names = new Set(all.map(({ name }) => name));
  return [...names].flatMap((name) => {
    const first = all.find((one) => one.name === name);
    // A variable that the script itself uses may be exported by habit.
    const isUsed = isBash
      ? new RegExp(`\\$\\{?${name}\\b`).test(text)
      : text.split(new RegExp(`\\b${name}\\b`)).length > all.length + 1;
    return first === undefined || isUsed ? [] : [{ state, name, at: first.match.index + first.match[0].search(/\S/) }];
  });
}

/** A line that prints or chooses, and runs no other program. */
const ONLY_PRINTS =
  /^(?:(?:echo|printf|exit|export)\b[^$`|]*|else|fi|;;|esac|\w+\)|(?:elif|if) \[[^`(]*|cat <<.*|END|EOF|<[^$`]*|\})?$/;

const RUNS_PROGRAMS =
  /subprocess|os\.system|popen|\bexec|\bspawn|\bfork\(|child_process|\bimport_module|\bChild\b|\bnpm\b/i;

/** True for a script that reads a variable with a default, or that is a program, and that does not set it. */
function readsWithDefault(state: ScriptState, name: string): boolean {
  const text = plainText(state);
  const { shell } = state.source.script;
  if (shell !== undefined) return !shell.isSet(name) && shell.variables.some((one) => one.name === name && one.guarded);
  const isSet = new RegExp(
    `environ\\[["']${name}["']\\]\\s*=(?!=)|env(?:\\.${name}|\\[["']${name}["']\\])\\s*=(?!=)`,
  ).test(text);
  return (
    !isSet &&
    new RegExp(
      `environ(?:\\.get\\(|\\[)["']${name}["']|getenv\\(["']${name}["']|process\\.env(?:\\.${name}\\b|\\[["']${name}["']\\])`,
    ).test(text)
  );
}
