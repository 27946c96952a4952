// Tells whether a script calls itself with just what it got itself, although it changes nothing: then each call makes the next one. Pure.
import { literalPattern } from '../../../protocol/text.js';
import { allEdges, type Edge } from '../../graph.js';
import { plainText, type ScriptState } from '../helpers.js';
import { attributesPassed } from '../passed.js';
import type { Analysis } from '../rule.js';

/** Commands that change nothing, and whose output only files and arguments decide. */
const READERS =
  /^(?:\[\[?|test|:|true|false|set|shopt|echo|printf|exit|cat|tac|head|tail|[ef]?grep|sed|cut|tr|sort|uniq|wc|nl|rev|jq|yq|ls|basename|dirname|comm|diff|seq|expr)$/;

/** What a program may change, what may be different the next time, and modules that may do both. */
const CHANGES =
  /,\s*(?:mode\s*=\s*)?["'][rb]*[wax+]|write|appendFile|mkdir|makedirs|unlink|rename|remove|rmtree|rmSync|\.rm\(|copy|move|touch|symlink|truncate|os\.replace|subprocess|os\.system|popen|exec|spawn|fork|fetch|request|urlopen|https?\b|socket|sqlite|connect|random|uuid|time|date|\bnow|sleep|stdin|argv|^(?:import|from)\s+(?!["'{*]|(?:os|sys|json|re|pathlib|csv|math|html)\b)|\b(?:require\(|from\s+)["'](?!(?:node:)?(?:fs|path|process)["'])/im;

/** True for a call by which a state calls itself in the same situation as before. */
export function callsItselfUnchanged(analysis: Analysis, { from, to, mention }: Edge): boolean {
  const state = analysis.graph.states.get(from);
  if (state?.source.kind !== 'script' || to.kind !== 'state' || to.file !== from) return false;
  const script = { ...state, source: state.source };
  // Another agent may change what the script reads.
  if (!onlyReads(script) || allEdges(analysis.graph).some(({ tag }) => tag.startsWith('fork'))) return false;
  const code = plainText(state);
  const name = literalPattern(mention.body?.value.trim() ?? '');
  const tags = [...code.matchAll(new RegExp(`<(?:call|function)\\b([^<>]*)>\\s*${name}\\s*<`, 'g'))];
  const rest = code.replace(/<[a-z][\w-]*\s[^<>]*>/g, '');
  const read = [...attributesPassed(analysis, from), 'RAYMOND_INPUT'].filter((one) =>
    new RegExp(`\\b${one}(?:_FILE)?\\b`).test(rest),
  );
  const isSame = ([, text = '']: RegExpExecArray): boolean => {
    const attributes = [...text.matchAll(/(?<!\S)(?!return=)([\w-]+)=\\?(["'])(.*?)\\?\2/g)];
    const given = attributes.map(([, key = '', , value = '']) => {
      const own = key === 'input' ? 'RAYMOND_INPUT' : key;
      return isGiven(script, { rest, own, value }) ? own : undefined;
    });
    return !given.includes(undefined) && read.every((one) => given.includes(one));
  };
  return tags.length > 0 && tags.every(isSame);
}

/** True for a script whose next turn with the same values has the same output. */
function onlyReads(state: ScriptState): boolean {
  const code = plainText(state);
  const { shell } = state.source.script;
  if (/RAYMOND_(?:RESULT|ATTEMPT|TURN_ID|ASK_ID)/.test(code)) return false;
  if (shell === undefined) return !CHANGES.test(code.replace(/\bstdout\.write\b/g, ''));
  if (/[)}]\s*>|\bdone\s*>|\$\{?(?:RANDOM|SECONDS|EPOCH\w+|SRANDOM)\b/.test(code)) return false;
  return shell.commands.every(({ name, args, output = 'stderr' }) => {
    const isInPlace = name === 'sed' && args.some(({ text }) => /^(?:-\w*i|--in-place)/.test(text));
    return READERS.test(name) && /^(?:stderr|\/dev\/null)$/.test(output) && !isInPlace;
  });
}

/** True for an attribute with the value of the variable `own`, as the script has got it. */
function isGiven(
  { source }: ScriptState,
  { rest, own, value }: { readonly rest: string; readonly own: string; readonly value: string },
): boolean {
  const read = `(?:os\\.environ(?:\\.get\\(|\\[)["']|os\\.getenv\\(["']|process\\.env\\.|\\$\\{?)${own}\\b["'})\\]]*`;
  if (new RegExp(`^(?:\\$?\\{)?${read}\\}?$`).test(value)) return source.script.shell?.isSet(own) !== true;
  const [, name = ''] = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(value) ?? [];
  const sets = [...rest.matchAll(new RegExp(`(?<![\\w.])${name}\\s*(?:[-+*/]|\\|\\|)?=(?!=)\\s*([^\\n]*)`, 'g'))];
  if (name === '' || new RegExp(`\\b(?:read|for|mapfile|unset)\\b[^\\n]*\\b${name}\\b`).test(rest)) return false;
  const isRead = new RegExp(`^["']?${read}(?:\\.(?:strip|trim)\\(\\))?;?\\s*$`).test(sets[0]?.[1] ?? '');
  return sets.length === 1 && isRead;
}
