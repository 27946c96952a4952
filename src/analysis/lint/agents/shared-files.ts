// Finds files that all of several forked agents write under one name, in the first state of the agents or in a later one.
import { executorOf } from '../../../protocol/language/resolve.js';
import { literalPattern } from '../../../protocol/text.js';
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isComputed } from '../../mention.js';
import { isOwnTransition } from '../../loops.js';
import { hasUnknownTargets, plainText, searchableText, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';

/** A file that a state replaces, by a name that is the same in each agent. */
interface FixedFile {
  readonly path: string;
  readonly at: number;
}

/** The files of which only the last agent's is left. */
export function* filesOfAllAgents(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  const edges = allEdges(graph).filter(({ from }) => reached.has(from));
  if (hasUnknownTargets(analysis) || edges.some(({ tag }) => tag.endsWith('-workflow'))) return;
  const forks = edges.filter(({ tag, role, to }) => tag === 'fork' && role === 'target' && to.kind === 'state');
  const reported = new Set<string>();
  for (const fork of forks) {
    const target = fork.to.kind === 'state' ? fork.to.file : '';
    const same = forks.filter(({ to }) => to.kind === 'state' && to.file === target);
    if (!isSeveral(analysis, { fork, same }) || same.some(hasDirectory)) continue;
    const group = reachableFrom(graph, { from: [target], accepts: isOwnTransition });
    if (edges.some((edge) => group.has(edge.from) && hasDirectory(edge)) || same.some(({ from }) => group.has(from)))
      continue;
    const isShared = same.every(({ mention }) => mention.attributes.get('task')?.value === 'inherit');
    for (const file of group) {
      const found = reported.has(file) ? undefined : sharedFile(analysis, { file, group, isShared });
      if (found === undefined) continue;
      reported.add(file);
      yield found;
    }
  }
}

function hasDirectory({ mention }: Edge): boolean {
  return mention.attributes.has('cd') || mention.attributes.has('worktree') || mention.malformed !== undefined;
}

const EACH =
  /\b(?:each|every|all|several|one\s+(?:tag|fork)\s+per|per\s+\w+|two|three|four|five|six|seven|eight|nine|ten|as\s+many)\b/i;

/** True for a fork that starts several agents at one state. */
function isSeveral(
  { graph }: Analysis,
  { fork, same }: { readonly fork: Edge; readonly same: readonly Edge[] },
): boolean {
  const state = graph.states.get(fork.from);
  const siblings = same.filter(({ from, mention }) => from === fork.from && mention.source === fork.mention.source);
  if (siblings.length > 1) return true;
  if (state?.source.kind === 'prompt')
    return EACH.test(state.source.prompt.body.text) && /<fork\b[^<>]*\w="/.test(state.source.prompt.body.text);
  return [...fork.mention.attributes.values()].some(({ value }) => isComputed(value));
}

function sharedFile(
  analysis: Analysis,
  { file, group, isShared }: { readonly file: string; readonly group: ReadonlySet<string>; readonly isShared: boolean },
): FindingDetails | undefined {
  const state = analysis.graph.states.get(file);
  if (state === undefined || !dependsOnAgent(state)) return undefined;
  const members = statesOf(analysis).filter((one) => group.has(one.file));
  const others = statesOf(analysis).filter((one) => !group.has(one.file));
  for (const { path, at } of fixedFiles(state, isShared)) {
    const name = new RegExp(`(?<![\\w-])${literalPattern(path.split('/').at(-1) ?? path)}(?!\\w)`);
    const reader = others.find((other) => name.test(searchableText(other)));
    if (reader === undefined || members.some((member) => takesOver(member, name))) continue;
    const { source } = state;
    if (source.kind !== 'prompt' && source.kind !== 'script') return undefined;
    return {
      at: (source.kind === 'prompt' ? source.prompt.body : source.raw).at(at),
      state: file,
      message: `all forked agents write the same file ${path}, so ${reader.file} finds only what the last one wrote`,
      fix: 'give each agent a file of its own, for example with its id in the name, or return the text as the result',
    };
  }
  return undefined;
}

/** True for a state whose work differs from agent to agent. */
function dependsOnAgent(state: StateNode): boolean {
  const text = searchableText(state);
  if (state.kind === 'prompt') return /\{\{(?!task_folder|state_dir)/.test(text);
  return (
    /environ|getenv|process\.env/.test(text.replace(/RAYMOND_(?:TASK_FOLDER|STATE_DIR)/g, '')) || /\$\{?\w/.test(text)
  );
}

/** What keeps the work of an agent before the next one replaces it, or lets one agent write at a time. */
const KEEPS = /\b(?:mv|rename\w*|replace|move|cp|copy\w*|upload|git|curl|rm|unlink|tar|zip)\b/;

function takesOver(member: StateNode, name: RegExp): boolean {
  const text = plainText(member);
  if (/\b(?:flock|lockf?|mktemp|tempfile|mkdtemp\w*|chdir|pushd)\b|^\s*cd\s|\bcwd=/m.test(text)) return true;
  const lines = text.split(member.kind === 'prompt' ? /(?<=[.!?])\s+/ : '\n').filter((line) => name.test(line));
  if (member.kind === 'prompt')
    return lines.some((line) => /\b(?:append\w*|add|rename|move|copy|own|agent_id)\b/i.test(line));
  return lines.some(
    (line) =>
      KEEPS.test(line) ||
      />>|["']a\+?["']|append|-s\s|-f\s|exists|<\s*["']?[\w$]|\b(?:cat|jq|grep|head|tail|wc|sed)\b[^>]*$/.test(line),
  );
}

function fixedFiles(state: StateNode, isShared: boolean): readonly FixedFile[] {
  const code = plainText(state);
  if (state.source.kind === 'prompt') return filesOfPrompt(code, isShared);
  return executorOf(state.file) === 'bash' ? filesOfShell(code, isShared) : filesOfProgram(code, isShared);
}

const PATH = String.raw`(?:[\w-]+\/)*[\w-]+\.[a-z]\w{0,4}`;
const ASKS_TO_WRITE = /\b(?:writ|sav|stor|put|record|creat|replac|overwrit|produc|draw|render|export|enter|leav)\w*\b/i;

function filesOfPrompt(text: string, isShared: boolean): readonly FixedFile[] {
  const plain = text.replaceAll('\n', ' ');
  const pattern = new RegExp(`(?<![\\w./@~}-])((?:\\{\\{task_folder\\}\\}/)?${PATH})(?![\\w/{]|\\.\\{)`, 'g');
  return [...plain.matchAll(pattern)].flatMap(({ index, 1: path = '' }) => {
    if (path.startsWith('{{') && !isShared) return [];
    const before =
      plain
        .slice(Math.max(0, index - 200), index)
        .split(/[.!?]\s+/)
        .at(-1) ?? '';
    const after = plain.slice(index + path.length).split(/[.!?]\s/)[0] ?? '';
    const verb = [...before.matchAll(new RegExp(ASKS_TO_WRITE.source, 'gi'))].at(-1);
    const rest = verb === undefined ? '' : before.slice(verb.index);
    const isTarget =
      /\b(?:to|into|in|as|called|named|file|of|at)\s+(?:the\s+)?(?:file\s+)?(?:named\s+|called\s+)?`?$|\b(?:write|create|save)\s+(?:the\s+file\s+)?`?$/i.test(
        before,
      );
    if (verb === undefined || !isTarget || /\b(?:read|open|see|from|append\w*|add|if|unless)\b/i.test(rest)) return [];
    return /\b(?:append|agent_id|own)\b|^\s*`?\s*(?:if|unless)\b/i.test(after.slice(0, 60))
      ? []
      : [{ path: path.replace(/^\{\{\w+\}\}\//, ''), at: index }];
  });
}

/** A path in a script: with the task folder before it, only if the agents share the folder. */
function isOwnPath(path: string, isShared: boolean): boolean {
  return !path.startsWith('/dev/') && !/^&/.test(path) && (isShared || !/TASK_FOLDER/.test(path)) && !isVariable(path);
}

function isVariable(path: string): boolean {
  return /[${}*?]/.test(path.replace(/\$\{?RAYMOND_TASK_FOLDER\}?/, ''));
}

function cleaned(path: string): string {
  return path.replace(/["']/g, '').replace(/^\$\{?RAYMOND_TASK_FOLDER\}?\//, '');
}

function filesOfShell(code: string, isShared: boolean): readonly FixedFile[] {
  const constants = new Map(
    [...code.matchAll(/^[ \t]*(?:readonly[ \t]+|local[ \t]+)?(\w+)=(["']?[\w./${}-]+["']?)[ \t]*$/gm)].map(
      ([, name = '', path = '']) => [name, path] as const,
    ),
  );
  const targets =
    /(?<![>\d&=<-])>\|?[ \t]*("?[\w./${}-]+"?(?:\/"?[\w.-]+"?)?)|\btee[ \t]+("?[\w./${}-]+"?)|\s(?:-o|--output)[ =]("?[\w./${}-]+"?)|\d>\s*("?[\w./${}-]+\.(?:txt|json|xml|log|csv|md)"?)/g;
  return [...code.matchAll(targets)].flatMap((match) => {
    const written = match.slice(1).find(Boolean) ?? '';
    const name = /^"?\$\{?(\w+)\}?"?$/.exec(written)?.[1];
    if (name !== undefined && (code.match(new RegExp(`(?<![\\w$])${name}=`, 'g'))?.length ?? 0) > 1) return [];
    const path = name === undefined ? written : (constants.get(name) ?? '');
    if (path === '' || !isOwnPath(path, isShared) || !/\w\.\w|\w\/\w/.test(path)) return [];
    return [{ path: cleaned(path), at: match.index + match[0].lastIndexOf(written) }];
  });
}

const QUOTED = String.raw`["'\`]([\w./-]+)["'\`]`;

/** The path that an expression of fixed parts has; undefined for others. */
function pathOf(expression: string, isShared: boolean): string | undefined {
  if (/\bf["']|\$\{/.test(expression)) return undefined;
  const folder = /TASK_FOLDER/.test(expression);
  if (folder && !isShared) return undefined;
  const plain = expression.replace(
    /(?:os\.)?environ(?:\[["']\w+["']\]|\.get\(["']\w+["']\))|process\.env(?:\.\w+|\[["']\w+["']\])/g,
    '',
  );
  const parts = [...plain.matchAll(new RegExp(QUOTED, 'g'))].map(([, part = '']) => part);
  const rest = plain
    .replace(new RegExp(QUOTED, 'g'), '')
    .replace(/\b(?:os|path|pathlib|Path|join|resolve)\b|[\s.,/();!+]/g, '');
  return rest === '' && parts.length > 0 && /\.\w{1,5}$/.test(parts.at(-1) ?? '') ? parts.join('/') : undefined;
}

function filesOfProgram(code: string, isShared: boolean): readonly FixedFile[] {
  const constants = new Map<string, string>();
  for (const [, name = '', value = ''] of code.matchAll(
    /^[ \t]*(?:(?:export|const|let|var)[ \t]+)?(\w+)(?:[ \t]*:[ \t]*[\w.]+)?[ \t]*=(?!=)[ \t]*([^\n=]+)$/gm,
  )) {
    const path = pathOf(value, isShared);
    if (path !== undefined) constants.set(name, path);
  }
  const argument = String.raw`((?:[\w.]*\([^()\n]*\)|[^(),\n])+)`;
  const patterns = [
    String.raw`(?<![\w.])open\(\s*${argument},\s*(?:mode\s*=\s*)?["'][wx]`,
    String.raw`\b(?:writeFile|createWriteStream|openSync)(?:Sync)?\(\s*${argument}[,)]`,
    String.raw`(Path\([^()\n]*\)|\([^()\n]*\)|(?<![\w.)])\w+)\.(?:write_(?:text|bytes)\(|open\(\s*["'][wx])`,
    String.raw`\.(?:savefig|to_csv|to_json|save)\(\s*${argument}[,)]`,
  ];
  return patterns.flatMap((pattern) =>
    [...code.matchAll(new RegExp(pattern, 'g'))].flatMap((match) => {
      const written = (match[1] ?? '').trim();
      const path = /^\w+$/.test(written) ? constants.get(written) : pathOf(written, isShared);
      if (path === undefined || path.startsWith('/dev/')) return [];
      return [{ path, at: match.index + match[0].indexOf(written) }];
    }),
  );
}
