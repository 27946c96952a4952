// Finds processes that a script in a sandbox starts in the background and leaves to the states that follow: they end with the script. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import { nodesOf } from '../../shell/walk.js';
import type { ShellScript } from '../../shell/shell.js';
import { plainText, statesOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis } from '../rule.js';
import { sandboxAsked } from '../settings/sandbox-rules.js';
import { codeOf } from './program-code.js';

/** Reports the first such process of a state. */
export function* lostProcesses(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const own = sandboxAsked(state.source)?.request.kind;
  const kinds = [own, analysis.graph.source.parsedManifest?.sandbox?.kind];
  if (!kinds.some((kind) => kind === 'process' || kind === 'container')) return;
  const { shell } = state.source.script;
  const text = plainText(state);
  const at = shell === undefined ? startInProgram(state, text) : startInShell(shell, text);
  if (at === undefined || (USES_ITSELF.test(text) && !isNeededLater(analysis, { state, text }))) return;
  yield {
    at,
    message: 'this process ends with the script, because the script runs in a sandbox',
    fix: 'start it in the state that needs it, wait for it here, or run this state without a sandbox',
  };
}

/** The first command with `&` behind it; none if the script waits for its processes, or ends them. */
function startInShell({ ast, commands }: ShellScript, text: string): number | undefined {
  const isWaiting = commands.some(
    ({ name, args }) =>
      /^(?:wait|fg|killall|pkill)$/.test(name) ||
      (name === 'kill' && args[0]?.text !== '-0') ||
      (name === 'trap' && /\bkill\b/.test(args[0]?.text ?? '')),
  );
  if (isWaiting || /\btrap\b[^\n]*\b(?:cleanup|stop)\b/.test(text)) return undefined;
  const started = [ast, ...nodesOf(ast, 'CompoundList')]
    .flatMap((list) => list.commands.filter(({ background }) => background === true))
    .map(({ pos }) => pos);
  return started.length === 0 ? undefined : Math.min(...started);
}

const STARTS = {
  python: /(?<![\w.])(?:subprocess\.)?Popen\(|(?<![\w.])(?:asyncio\.)?create_subprocess_(?:exec|shell)\(/,
  node: /(?<![\w.])(?:\w+\.)?spawn\((?=[^;]{0,600}?detached:\s*true|[^]*\.unref\(\))/,
} as const;

const WAITS = {
  python:
    /\.communicate\(|\.wait\(|\bterminate\(|\.kill\(\)|\bos\.killp?g?\((?![^()\n]*,\s*0\s*\))|\.(?:stdout|stderr)\.read|\bwith\s+(?:subprocess\.)?Popen\(|\bsend_signal\(/,
  node: /\.(?:on|once)\(\s*["'](?:exit|close)|\bonce\(\s*\w+\s*,\s*["'](?:exit|close)|\.kill\(\s*(?!\w+(?:\.pid)?\s*,\s*0\s*\))/,
} as const;

function startInProgram({ file }: ScriptState, text: string): number | undefined {
  const executor = executorOf(file);
  if (executor !== 'python' && executor !== 'node') return undefined;
  const match = STARTS[executor].exec(codeOf(text, executor));
  return match === null || WAITS[executor].test(text) ? undefined : match.index;
}

/** A script that talks to its own process may need it only itself. */
const USES_ITSELF = /localhost|127\.0\.0\.1|\[::1\]|\bsocket\b|\.sock\b/;

/** True if another state talks to the process, or ends it. */
function isNeededLater(
  analysis: Analysis,
  { state, text }: { readonly state: ScriptState; readonly text: string },
): boolean {
  const ports = [...text.matchAll(/(?<![\d.-])\d{4,5}(?![\d.-])/g)].map(([port]) => port);
  return statesOf(analysis).some((other) => {
    if (other === state || !analysis.reached.has(other.file)) return false;
    const use = plainText(other);
    return USES_ITSELF.test(use) ? ports.length === 0 || ports.some((port) => use.includes(port)) : ENDS.test(use);
  });
}

/** The end of a process whose id another state has kept. */
const ENDS = /\bkill\b[^\n]*pid|\bkill\s+"?\$\((?:cat|<)|\bos\.kill\(|\bprocess\.kill\(/i;
