// Rules about effects of bash that are lost or come too late: tags of a trap, variables of another state's script, counters that are not
// written back.
import { allEdges } from '../../graph.js';
import type { ShellScript } from '../../shell/shell.js';
import { hasUnknownTargets, scriptsOf, searchableText, TAG, type ScriptState } from '../helpers.js';
import { filesLeftInDirectory } from '../files/lost-directory.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { exportsForOthers } from './export-rules.js';
import { countersKept } from '../numbers/saved-counters.js';
import { countersUnsaved } from '../numbers/unsaved-counters.js';

function* shells(analysis: Analysis): Generator<{ readonly state: ScriptState; readonly shell: ShellScript }> {
  for (const state of scriptsOf(analysis)) {
    const { shell } = state.source.script;
    if (shell !== undefined && !analysis.syntax.has(state.file)) yield { state, shell };
  }
}

function* tagsOfTraps(analysis: Analysis): Generator<FindingDetails> {
  for (const { state, shell } of shells(analysis)) {
    const text = searchableText(state);
    const traps = shell.commands.filter(
      ({ name, args }) => name === 'trap' && /^(?:EXIT|0)$/.test(args.at(-1)?.text ?? ''),
    );
    const [trap] = traps;
    const order = trap?.args[0]?.text.trim();
    if (trap === undefined || order === undefined || traps.length > 1) continue;
    const body = shell.functions.get(order);
    const [from, to] = body === undefined ? [trap.at, lineEnd(text, trap.at)] : [body.pos, body.end];
    const part = text.slice(from, to);
    const index = part.search(TAG);
    const isAlways = !/\b(?:if|case|return|while)\b|&&|\|\||>&2|\[/.test(part);
    if (index < 0 || !isAlways || !TAG.test(`${text.slice(0, from)}${text.slice(to)}`)) continue;
    yield {
      at: state.source.raw.at(from + index),
      state: state.file,
      message: 'the trap prints this tag in addition to the tag of the script, so the output has two tags',
      fix: 'print no tag in a trap, or print it to stderr',
    };
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** Variables that an environment has by itself. */
export const COMMON =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|TERM|TZ|LANG|LC_\w+|TMPDIR|EDITOR|PAGER|CI|DEBUG|NO_COLOR|HOSTNAME|(?:GIT|NODE|PYTHON|JAVA|GO|CARGO|npm|AWS|DOCKER|RAYMOND)_?\w*)$/;

function* exportedByOthers(analysis: Analysis): Generator<FindingDetails> {
  const all = [...shells(analysis)];
  const environment = analysis.graph.source.parsedManifest?.environment ?? {};
  for (const { state, shell } of all) {
    const reported = new Set<string>();
    for (const { name, at, guarded } of shell.variables) {
      if (
        guarded ||
        !/^[A-Za-z_]\w*$/.test(name) ||
        reported.has(name) ||
        COMMON.test(name) ||
        shell.isSet(name) ||
        environment[name] !== undefined
      )
        continue;
      if (mayBePassed(analysis, { file: state.file, name })) continue;
      const giver = all.find((other) => other.state !== state && exportsItself(searchableText(other.state), name));
      if (giver === undefined) continue;
      reported.add(name);
      yield {
        at: state.source.raw.at(at),
        state: state.file,
        message: `${name} is not set here: ${giver.state.file} exports it, but exported variables are lost when a script ends`,
        fix: `pass it as an attribute (${name.toLowerCase()}="…"), or set it here`,
      };
    }
  }
}

function mayBePassed(analysis: Analysis, { file, name }: { readonly file: string; readonly name: string }): boolean {
  if (analysis.graph.source.parsedManifest?.labels?.includes(name) === true) return true;
  if (hasUnknownTargets(analysis)) return true;
  return allEdges(analysis.graph).some(
    ({ to, mention }) => to.kind === 'state' && to.file === file && mention.attributes.has(name),
  );
}

/** True for an export of a value that is not the one from outside. */
function exportsItself(text: string, name: string): boolean {
  const match = new RegExp(`^[ \\t]*export[ \\t]+(?:\\w+=\\S+[ \\t]+)*${name}=(.*)$`, 'm').exec(text);
  return match !== null && !new RegExp(`\\$\\{?${name}\\b`).test(match[1] ?? '');
}

/** What a script may do after `cd` without using the directory: print, and end. */
const ONLY_PRINTS =
  /^(?:\s*(?:(?:echo|printf)\b[^\n;&|<>]*(?:'[^'\n]*'|"[^"\n$`]*")?|exit(?:\s+0)?|\})[ \t]*(?:;|\n|$))*\s*$/;

/** A `cd` behind which the script runs nothing: it was meant for the next state. */
function* directoriesForOthers(analysis: Analysis): Generator<FindingDetails> {
  for (const { state } of shells(analysis)) {
    const text = searchableText(state);
    const [last] = [...text.matchAll(/^cd[ \t]+(?:--[ \t]+)?("[^"\n]+"|'[^'\n]+'|[^\s;&|]+)[ \t]*$/gm)].slice(-1);
    if (
      last === undefined ||
      !TAG.test(text.slice(last.index)) ||
      !ONLY_PRINTS.test(text.slice(last.index + last[0].length))
    )
      continue;
    yield {
      at: state.source.raw.at(last.index),
      state: state.file,
      message:
        'this cd has no effect: the script runs nothing after it, and the next state starts in the working directory of its agent',
      fix: 'write <reset cd="…"> to change the directory of the next states, or cd in each script',
    };
  }
}

/** Rules about lost effects. */
export const LOST_EFFECT_RULES: readonly Rule[] = [
  {
    id: 'tag-in-trap',
    severity: 'warning',
    summary: 'A bash trap for EXIT prints a tag in addition to the tag of the script.',
    why: 'A trap for EXIT runs after every other command. Its tag is the second one of the output, which is a mistake.',
    check: tagsOfTraps,
  },
  {
    id: 'lost-export',
    severity: 'warning',
    summary:
      'A script reads a variable that only the script of another state exports, but an exported variable exists only until that script ends.',
    why: 'Every script is a process of its own. Attributes of a tag, files and `environment` in the manifest reach other states.',
    check: (analysis) => [...exportedByOthers(analysis), ...exportsForOthers(analysis)],
  },
  {
    id: 'lost-directory',
    severity: 'warning',
    summary: 'A script changes the directory, but this has no effect on the next state.',
    why: 'Every script is a process of its own, so a cd ends with it. The cd attribute of <reset>, <fork>, <reset-workflow> and <fork-workflow> changes the directory of the states that follow.',
    check: (analysis) => [...directoriesForOthers(analysis), ...filesLeftInDirectory(analysis)],
  },
  {
    id: 'counter-not-saved',
    severity: 'warning',
    summary:
      'A script reads a counter from a file, but never writes an increased value to the file, or only appends the value to it.',
    why: 'Every round of the loop reads the same number, so the limit is never reached and the prompts of the loop are paid without end.',
    check: (analysis) => [...countersUnsaved(analysis), ...countersKept(analysis)],
  },
];
