// The rule about commands that fail the second time, such as mkdir: a script with retries runs again after a failure, and a state of a loop
// runs in each round.
import { executorOf } from '../../../protocol/language/resolve.js';
import { literalPattern } from '../../../protocol/text.js';
import { reachableFrom, type Edge } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import type { ShellScript } from '../../shell/shell.js';
import { mistakesOf, plainText, searchableText, statesOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis, Rule } from '../rule.js';

/** What a script creates, and cannot create again. */
interface Creation {
  readonly at: number;
  readonly end: number;
  /** The command or call, for the message. */
  readonly what: string;
  /** The name of what it creates, as the script writes it. */
  readonly path: string;
}

/** Commands that fail if what they create exists; the group is its name. */
const NEW_IN_BASH =
  /^(?:mkdir[ \t]+(?!-\w*p|--parents)(?:-m[ \t]*\d+[ \t]+)?(\S+)$|git[ \t]+(?:-C[ \t]+\S+[ \t]+)?clone\b.*[ \t](\S+)$|git[ \t]+(?:-C[ \t]+\S+[ \t]+)?(?:checkout[ \t]+-b|switch[ \t]+-c|worktree[ \t]+add(?:[ \t]+-b)?|remote[ \t]+add|tag(?=[ \t]+[\w"$]))[ \t]+([^\s-]\S*)|ln[ \t]+-s[ \t]+\S+[ \t]+(\S+)$|createdb[ \t]+(\S+)$|docker[ \t]+(?:run|create)\b(?!.*--rm).*--name[ =](\S+))/;

const NEW_IN_PYTHON =
  /\bos\.mkdir\(\s*([^()\n]+?)\s*\)|\bos\.makedirs\(\s*([^(),\n]+?)\s*\)|(?<![\w.])((?:Path\([^()\n]+\)|\w+))\.mkdir\((?:parents=True)?\)|\bshutil\.copytree\(\s*[^(),\n]+,\s*([^(),\n]+?)\s*\)|(?<![\w.])open\(\s*([^(),\n]+?)\s*,\s*["']xb?["']/g;

const NEW_IN_NODE =
  /(?<![\w.])(?:fs\.)?(?:await\s+)?mkdir(?:Sync)?\(\s*([^(),\n]+?)\s*\)|writeFile(?:Sync)?\(\s*([^(),\n]+?)\s*,[^\n]*flag:\s*["']wx["']/g;

/** What a program does that shows that its author has thought of a second time. */
const IS_PREPARED =
  /exists\w*\(|is_?dir\(|rmtree|rmSync|\brm\(|\btry\b|suppress\(|FileExistsError|EEXIST|mkd?temp|TemporaryDirectory/i;

/** What may fail for a reason that is gone the next time. */
const MAY_FAIL =
  /\b(?:curl|wget|git|make|npm|npx|pnpm|yarn|python3?|node|docker|podman|ssh|scp|rsync|gh|pip3?|cargo|pytest|kubectl|terraform|psql|mvn|gradle|aws|gcloud|exit[ \t]+[1-9])\b|\burlopen|\brequests\.|\bhttpx|\bsubprocess\b|\braise\b|\bsys\.exit\(|\bfetch\(|\bexec\w*\(|\bspawn\w*\(|\bthrow\b|process\.exit(?:Code|\()/;

function creationsOf(state: ScriptState, code: string): readonly Creation[] {
  const { shell } = state.source.script;
  if (shell !== undefined) return creationsInBash(shell, code);
  if (IS_PREPARED.test(code)) return [];
  const pattern = executorOf(state.file) === 'python' ? NEW_IN_PYTHON : NEW_IN_NODE;
  return [...code.matchAll(pattern)].flatMap((match) => {
    const [whole, ...groups] = match;
    const path = groups.find(Boolean) ?? '';
    const isKnown = /^(?:Path\()?["'][^"'\n]+["']\)?$/.test(path) || isFixedName(path, code);
    return isKnown ? [{ at: match.index, end: match.index + whole.length, what: whole, path }] : [];
  });
}

/** True for a name that gets a literal path. */
function isFixedName(name: string, code: string): boolean {
  if (!/^[A-Za-z_]\w*$/.test(name)) return false;
  const given = [...code.matchAll(new RegExp(`^[ \\t]*(?:const |let )?${name}\\s*(?::[^=\\n]*)?=([^\\n]*)$`, 'gm'))];
  return given.length === 1 && /^\s*(?:Path\()?["'][^"'\n${}]+["']\)?;?\s*$/.test(given[0]?.[1] ?? '');
}

function creationsInBash({ commands, functions }: ShellScript, code: string): readonly Creation[] {
  if (/^\s*trap\b/m.test(code)) return [];
  const bodies = [...functions.values()];
  return commands.flatMap(({ name, at }) => {
    if (!/^(?:mkdir|git|ln|createdb|docker)$/.test(name) || bodies.some(({ pos, end }) => at >= pos && at < end))
      return [];
    const line = /^[^\n;|&<>]*/.exec(code.slice(at))?.[0] ?? '';
    const end = at + line.length;
    const [, ...groups] = NEW_IN_BASH.exec(line.trimEnd().replace(/\s\d$/, '')) ?? [];
    const path = groups.find(Boolean);
    if (path === undefined || !isFixedPath(path, code) || !isFatal(code, end)) return [];
    return isGuarded(code, { at, path }) ? [] : [{ at, end, what: line.trim(), path }];
  });
}

/** True for a path that is the same each time the script runs in one turn. */
function isFixedPath(path: string, code: string): boolean {
  if (/\$\(|`|\$\$|\$\{?(?:RANDOM|RAYMOND_ATTEMPT|BASHPID|EPOCH\w+)|[*?]/.test(path)) return false;
  return [...path.matchAll(/\$\{?(\w+)/g)].every(([, name = '']) => {
    if (/^RAYMOND_(?:TASK_FOLDER|TURN_ID|AGENT_ID|WORKFLOW_ID)$|^HOME$|^PWD$/.test(name)) return true;
    const given = [...code.matchAll(new RegExp(`(?<![\\w$])${name}=([^\\n]*)`, 'g'))];
    return given.length === 1 && !/\$\(|`|\$\$|RANDOM|ATTEMPT|EPOCH/.test(given[0]?.[1] ?? '');
  });
}

/** True for a command whose failure ends the script. */
function isFatal(code: string, end: number): boolean {
  const rest = /^[^\n]*/.exec(code.slice(end))?.[0] ?? '';
  if (/^\s*\d?(?:>\s*\S+)?\s*\|\|/.test(rest)) return /\|\|\s*(?:\{[^\n]*)?(?:exit\s+[1-9]|die|fail)\b/.test(rest);
  return !/\|\|/.test(rest) && /^\s*set\s+(?:-\w*e\w*|-\w+\s+-\w*e\w*|-o\s+errexit)\b/m.test(code);
}

/** True for a script that looks whether the path exists, or removes it. */
function isGuarded(code: string, { at, path }: Pick<Creation, 'at' | 'path'>): boolean {
  const from = code.lastIndexOf('\n', at) + 1;
  if (code.slice(from, at).trim() !== '') return true;
  if (/^[ \t]/.test(code.slice(from))) return true;
  return removes(code, path) || new RegExp(`-[defL]\\s+["']?${nameIn(path)}`).test(code);
}

function nameIn(path: string): string {
  return literalPattern(path.replace(/^(?:Path\()?["']|["']\)?$/g, ''));
}

/** True for a text that may remove or move what stands at a path. */
function removes(text: string, path: string): boolean {
  return new RegExp(
    `\\b(?:rm|rmdir|mv|unlink|rmtree|remove|removes|delete|deletes|clean|rename|rmSync|prune|move)\\b[^\\n]*${nameIn(path)}|${nameIn(path)}[^\\n]*\\b(?:rm|remove|delete|rename|unlink)\\b`,
    'i',
  ).test(text);
}

function* repeated(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = plainText(state);
  const creations = creationsOf(state, code);
  if (creations.length === 0) return;
  const { retries } = state.source.settings;
  const retried = (retries ?? 0) > 0 ? creations.find(({ end }) => MAY_FAIL.test(code.slice(end))) : undefined;
  const found = retried ?? (isAtStart(state, code, creations[0]) ? inLoop(analysis, { state, creations }) : undefined);
  if (found === undefined) return;
  yield {
    at: found.at,
    message: `${found.what} fails if ${found.path} exists, ${retried === undefined ? 'and a loop leads back to this state, so the second round fails' : 'so after a failure below this line, every retry fails here'}`,
    fix: /mkdir/.test(found.what) ? 'accept a folder that exists, as mkdir -p does' : 'do nothing if it exists already',
  };
}

/** True if nothing above the creation may keep the script from it. */
function isAtStart({ file }: ScriptState, code: string, creation: Creation | undefined): boolean {
  const above = code.slice(0, creation?.at ?? 0);
  const isPlain = executorOf(file) === 'bash' || /(?:^|\n)(?:await )?$/.test(above);
  return isPlain && !/\b(?:if|case|exit|return|while|for|def|function)\b|\[\[?\s|&&|\|\|/.test(above);
}

/** A creation of a state that leads back to itself in the same folder. */
function inLoop(
  analysis: Analysis,
  { state, creations }: { readonly state: ScriptState; readonly creations: readonly Creation[] },
): Creation | undefined {
  const accepts = (edge: Edge): boolean => isOwnTransition(edge) && edge.tag !== 'reset-workflow' && edge.tag !== 'ask';
  const targets = state.edges.flatMap((edge) => (edge.to.kind === 'state' && accepts(edge) ? [edge.to.file] : []));
  const after = reachableFrom(analysis.graph, { from: targets, accepts });
  if (!after.has(state.file)) return undefined;
  const others = statesOf(analysis).filter(({ file }) => after.has(file));
  const moves = others.some(
    ({ mentions, hasUnknownTargets }) =>
      hasUnknownTargets || mentions.some(({ attributes }) => attributes.has('cd') || attributes.has('task')),
  );
  if (moves) return undefined;
  return creations.find(
    ({ path }) => !/\$/.test(path) && !others.some((other) => removes(searchableText(other), path)),
  );
}

/** The rule about commands that fail the second time. */
export const SECOND_TIME_RULES: readonly Rule[] = [
  {
    id: 'fails-second-time',
    severity: 'warning',
    summary:
      'A script that runs again, because of retries or a loop, fails the second time, because it creates something that exists by then, such as a folder with mkdir.',
    why: 'A retry runs the whole script again, and nothing removes what the failed try has created. mkdir without -p, git clone into a folder and open with mode x fail if it exists.',
    check: (analysis) => mistakesOf(analysis, (state) => repeated(analysis, state)),
  },
];
