// Finds files that a forked agent reads in its task folder. The folder is empty at first, so a file is there only if a state of this agent
// writes it.
import { executorOf } from '../../../protocol/language/resolve.js';
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { hasUnknownTargets, plainText, searchableText } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';

/** What a state does with its task folder in one place; the names are words of the path. */
interface FolderUse {
  readonly kind: 'read' | 'test' | 'write' | 'unknown';
  readonly names: readonly string[];
  readonly at: number;
}

/** The reads of files that only the forking agent has, in its own task folder. */
export function* readsInEmptyFolder(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  const edges = allEdges(graph).filter(({ from }) => reached.has(from));
  if (hasUnknownTargets(analysis) || edges.some(({ tag }) => tag.endsWith('-workflow'))) return;
  const targets = new Map<string, Edge[]>();
  for (const edge of edges)
    if (edge.tag === 'fork' && edge.role === 'target' && edge.to.kind === 'state')
      targets.set(edge.to.file, [...(targets.get(edge.to.file) ?? []), edge]);
  const reported = new Set<string>();
  for (const [target, forks] of targets) {
    if (forks.some((fork) => mayShareFolder(analysis, fork))) continue;
    const group = reachableFrom(graph, { from: [target], accepts: isOwnTransition });
    if (forks.some(({ from }) => group.has(from))) continue;
    const parents = parentsOf(analysis, { forks, group });
    const found = lostRead(analysis, { group, parents });
    if (found === undefined || reported.has(found.state.file)) continue;
    reported.add(found.state.file);
    yield {
      at: found.at,
      state: found.state.file,
      message: `${found.name} is not in this task folder: the forked agent has a folder of its own, and none of its states writes the file`,
      fix: 'write task="inherit" in the <fork>, or keep the file in the working directory',
    };
  }
}

function mayShareFolder({ graph }: Analysis, { mention, from }: Edge): boolean {
  const state = graph.states.get(from);
  const isFree = mention.source !== 'script' && state !== undefined && /\binherit/.test(searchableText(state));
  return mention.attributes.has('task') || mention.malformed !== undefined || mention.stray !== undefined || isFree;
}

/** The states that may run before the fork, and that use the task folder. */
function parentsOf(
  { graph }: Analysis,
  { forks, group }: { readonly forks: readonly Edge[]; readonly group: ReadonlySet<string> },
): readonly StateNode[] {
  return [...graph.states.values()].filter(
    (state) =>
      !group.has(state.file) &&
      /task_folder/i.test(searchableText(state)) &&
      forks.some(({ from }) => reachableFrom(graph, { from: [state.file] }).has(from)),
  );
}

interface LostRead {
  readonly state: StateNode;
  readonly name: string;
  readonly at: FindingDetails['at'];
}

function lostRead(
  { graph }: Analysis,
  { group, parents }: { readonly group: ReadonlySet<string>; readonly parents: readonly StateNode[] },
): LostRead | undefined {
  const states = [...group].flatMap((file) => graph.states.get(file) ?? []);
  const all = states.flatMap((state) => folderUses(state).map((use) => ({ ...use, state })));
  if (all.some(({ kind, names }) => kind === 'unknown' || (kind === 'write' && names.length === 0))) return undefined;
  const written = new Set(all.flatMap(({ kind, names }) => (kind === 'write' ? names : [])));
  for (const { kind, names, at, state } of all) {
    if (kind !== 'read' || names.some((name) => written.has(name) || name === 'asks')) continue;
    const name = names.find((one) => parents.some((parent) => searchableText(parent).includes(one)));
    const { source } = state;
    if (name === undefined || (source.kind !== 'prompt' && source.kind !== 'script')) continue;
    return { state, name, at: (source.kind === 'prompt' ? source.prompt.body : source.raw).at(at) };
  }
  return undefined;
}

function folderUses(state: StateNode): readonly FolderUse[] {
  const code = plainText(state);
  if (!/task_folder/i.test(code)) return [];
  if (state.source.kind === 'prompt') return usesOfPrompt(code);
  return usesOfScript(code, executorOf(state.file) === 'bash');
}

const FOLDER = '{{task_folder}}';
const WRITES =
  /\b(?:writ\w*|creat\w*|sav\w*|stor\w*|put|record\w*|append\w*|add|note|keep|collect|copy|move|update|log|work|leave|produce|generate|export|change|edit|fix|extend|delete|list)\b/gi;
const READS =
  /\b(?:read|open|see|use|take|follow|consult|look|look\s+up|load|check|study|is|are|stands?|find|here|according|compare|choose|pick|answer|translate|review|describes?|contains?|from|against)\b/gi;

/** The uses of the folder in the sentences of a prompt: the last verb before the folder counts. */
function usesOfPrompt(text: string): readonly FolderUse[] {
  const plain = text.replaceAll('\n', ' ');
  const uses: FolderUse[] = [];
  for (let at = plain.indexOf(FOLDER); at >= 0; at = plain.indexOf(FOLDER, at + 1)) {
    const before =
      plain
        .slice(Math.max(0, at - 240), at)
        .split(/[.!?;]\s+/)
        .at(-1) ?? '';
    const after = plain.slice(at + FOLDER.length, at + FOLDER.length + 120);
    const names = [nameAfter(after), nameBefore(before)].flatMap((name) => wordsOf(name ?? ''));
    uses.push({ kind: kindInPrompt(before, after), names, at });
  }
  return uses;
}

function nameAfter(after: string): string | undefined {
  return /^\/((?:[\w./*-]|\{\{\w+\}\})+)/.exec(after)?.[1];
}

function nameBefore(before: string): string | undefined {
  return /([\w-]+\.\w{1,5})`?\s+(?:(?:in|of|from|inside|below|under|to|into)\s+)(?:the\s+|your\s+)?(?:task\s+)?(?:folder\s+|directory\s+)?`?$/.exec(
    before,
  )?.[1];
}

function kindInPrompt(before: string, after: string): FolderUse['kind'] {
  if (/\b(?:if|exists?|unless|whether|may|maybe)\b/i.test(before)) return 'test';
  const last = (pattern: RegExp): number => [...before.matchAll(pattern)].at(-1)?.index ?? -1;
  const [written, read] = [last(WRITES), last(READS)];
  if (written < 0 && read < 0)
    return before.trim() === '' && /^\/\S+\s+(?:is|contains|has|holds|lists|describes)\b/.test(after)
      ? 'read'
      : 'unknown';
  return written > read ? 'write' : 'read';
}

/** The words of a path by which another state may name it. */
function wordsOf(path: string): readonly string[] {
  return [...path.replace(/\{\{\w+\}\}|\$\{[^{}]*\}|\$\w+|\{[^{}]*\}/g, ' ').matchAll(/[\w-]+(?:\.\w+)*/g)]
    .map(([word]) => word)
    .filter((word) => word.length > 2 && !/^(?:utf-?8|csv|json|txt|str|len)$/i.test(word));
}

const PASSES_OVER = /\b(?:except|catch|suppress)\b|\|\|\s*(?:true|:|echo)|2>\s*\/dev\/null/;

/** The uses of the folder in the lines of a script, also by variables that hold a path in it. */
function usesOfScript(code: string, isShell: boolean): readonly FolderUse[] {
  const lines = code.split('\n');
  const paths = variablesOf(lines);
  const uses: FolderUse[] = [];
  let from = 0;
  for (const [index, line] of lines.entries()) {
    const at = from;
    from += line.length + 1;
    const named = [...line.matchAll(/(?<!\w)\$?\{?(\w+)/g)].find(([, name = '']) => paths.has(name));
    if (named === undefined) continue;
    const kind = isShell ? kindInShell(line, named[1] ?? '') : kindInProgram(line);
    if (kind === undefined) continue;
    const names = [...namesIn(line, isShell), ...(paths.get(named[1] ?? '') ?? [])];
    const isFatal = kind === 'test' && FAILS.test(lines.slice(index, index + 3).join('\n'));
    uses.push({ kind: isFatal ? 'read' : kind, names, at: at + named.index });
  }
  const isSafe = uses.some(({ kind }) => kind === 'test') || (!isShell && PASSES_OVER.test(code));
  return isSafe ? uses.map((use) => (use.kind === 'read' ? { ...use, kind: 'test' } : use)) : withFileNames(uses, code);
}

const FAILS = /\bexit\s+[1-9]|\bsys\.exit\(|\bprocess\.exit\([1-9]|\bthrow\b|\braise\b/;

/** A use by a function that gets the name of the file: all names of files in the script count. */
function withFileNames(uses: readonly FolderUse[], code: string): readonly FolderUse[] {
  const all = [...code.matchAll(/["'`]([\w-]+\.[a-z]\w{1,4})["'`]/g)].map(([, name = '']) => name);
  return uses.map((use) => (use.names.length > 0 ? use : { ...use, names: all }));
}

/** The variables that hold the folder or a path in it, each with the words of its path. */
function variablesOf(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>([['RAYMOND_TASK_FOLDER', []]]);
  for (let round = 0; round < 3; round++)
    for (const line of lines) {
      const renamed = /\bRAYMOND_TASK_FOLDER\s*:\s*(\w+)[^=]*=\s*process\.env/.exec(line)?.[1];
      if (renamed !== undefined) paths.set(renamed, []);
      const [, name, value = ''] =
        /^\s*(?:(?:export|local|readonly|const|let|var)\s+)?(\w+)(?:\s*:\s*[\w.]+)?\s*=(?!=)(.*)$/.exec(line) ?? [];
      if (name === undefined || OPENS.test(value) || /\$\((?!dirname)/.test(value)) continue;
      const source = [...value.matchAll(/\w+/g)].map(([word]) => word).find((word) => paths.has(word));
      if (source !== undefined) paths.set(name, [...namesIn(value, false), ...(paths.get(source) ?? [])]);
    }
  return paths;
}

const OPENS =
  /\bopen\(|\.open\(|read_text|read_bytes|readFile|createReadStream|\bload\(|readlines|iterdir|glob\(|listdir|readdir|scandir|exists|is_file|\b(?:sorted|list|len)\(/;

/** The words of the strings in a line; in bash, of all paths. */
function namesIn(line: string, isShell: boolean): readonly string[] {
  const parts = isShell ? line.match(/[\w.*$"{}-]*\/[\w.*$"{}/-]+/g) : line.match(/(["'`])[^"'`\n]*\1|\/[\w.-]+/g);
  return (parts ?? []).flatMap(wordsOf).filter((word) => !/^RAYMOND_\w+$|^(?:r|rb|null|dev|input)$/.test(word));
}

const SHELL_READS =
  /(?:^|[\s;&|(!])(?:cat|head|tail|wc|jq|grep|sort|sed|awk|cut|tr|diff|source|\.|sha256sum|md5sum|paste|comm|uniq|nl|mapfile|readarray|cp|mv)\s|<\s*["']?$/;

function kindInShell(line: string, name: string): FolderUse['kind'] | undefined {
  const at = line.search(new RegExp(`\\$\\{?${name}\\b`));
  if (at < 0) return undefined;
  const before = line.slice(0, at);
  if (/^\s*(?:(?:export|local|readonly)\s+)?\w+=["']?$/.test(before)) return undefined;
  if (/(?:>\|?\s*|\btee\s+(?:-a\s+)?|\btouch\s+)["']?$/.test(before)) return 'write';
  if (/\[\[?[^\]]*$|\btest\s[^;&|]*$/.test(before)) return 'test';
  const isLast = /^["']?\$\{?\w+\}?["']?[^\s;&|)]*["']?\s*(?:$|[;&|)])/.test(line.slice(at));
  if (/\b(?:cp|mv|mkdir|install|ln)\s[^;&|]*$/.test(before)) {
    if (isLast) return 'write';
    return /\b(?:cp|mv)\s/.test(before) ? 'read' : 'unknown';
  }
  if (PASSES_OVER.test(line)) return 'test';
  return SHELL_READS.test(before) && !/\bsed\s+-i|<\w+\b[^<>]*$/.test(before) ? 'read' : 'unknown';
}

const PROGRAM_WRITES =
  /write|\bdump\(|["'][wax]b?\+?["']|mkdir|makedirs|copy|rename|move|append|extract|\brun\(|exec|spawn|Popen|check_|sqlite|touch|save|to_csv|to_json|cwd|chdir/i;

function kindInProgram(line: string): FolderUse['kind'] | undefined {
  if (PROGRAM_WRITES.test(line)) return /mkdir|makedirs/i.test(line) && !/write/i.test(line) ? 'test' : 'write';
  if (/exists|is_file|isfile|access\w*\(/.test(line)) return 'test';
  if (OPENS.test(line)) return 'read';
  const isPath =
    /^\s*(?:(?:export|const|let|var)\s+)?(?:\w+|\{[^{}]*\})(?:\s*:\s*[\w.]+)?\s*=(?!=)|^\s*(?:def|function)\b|^\s*return\b/.test(
      line,
    );
  return isPath ? undefined : 'unknown';
}
