// Tells whether a script needs a variable of its environment: it uses the variable without a default, by its name or by a function that gets
// the name. Pure.
import type { SourceFile } from '../../source.js';
import { plainText } from '../helpers.js';

/** True for a script, or a module of scripts, that uses a variable without a default. */
export function needsVariable(source: SourceFile, name: string): boolean {
  if (source.kind !== 'script') return false;
  const code = plainText({ source });
  return readsByName(code, name) || (readsAnyName(code) && isGivenAsName(code, name));
}

function readsByName(code: string, name: string): boolean {
  return new RegExp(
    `\\$${name}\\b|\\(\\([^()\\n]{0,80}?(?<![\\w.$])${name}\\b[^()\\n]{0,80}\\)\\)|\\$\\{${name}(?:\\}|:?\\?|[#%/^,])|environ\\[["']${name}["']|process\\.env\\.${name}\\b(?!\\s*\\?)|\\{[^{}\\n]{0,200}(?<![\\w.])${name}(?![\\w]|[ \\t]*=)[^{}\\n]{0,200}\\}[ \\t]*=[ \\t]*process\\.env\\b`,
  ).test(code);
}

/** True for a script that fails without a variable whose name another variable has. */
function readsAnyName(code: string): boolean {
  if (/\benviron\[[A-Za-z_]\w*\]|\$\{![\w]+:?\?|\bprintenv[ \t]+"?\$/.test(code)) return true;
  const isRead =
    /\benv\[[A-Za-z_]\w*\]|\benviron\.get\([A-Za-z_]\w*\)|\bgetenv\([A-Za-z_]\w*\)|\$\{!\w+(?::?-)?\}|\b(?:not[ \t]+)?in[ \t]+(?:process\.env|(?:os\.)?environ)\b/.test(
      code,
    );
  return isRead && /\b(?:throw|raise|exit)\b/.test(code);
}

/** True for a name in a list, or the last argument of a call, of which no default follows. */
function isGivenAsName(code: string, name: string): boolean {
  if (
    new RegExp(
      `^[ \\t]*(?:for[ \\t]+\\w+[ \\t]+in\\b[^\\n;]*|(?!export|unset|local|read|declare)\\w+)[ \\t]["']?${name}(?=["']?(?:[ \\t;]|$))`,
      'm',
    ).test(code)
  )
    return true;
  return new RegExp(`["']${name}["']\\s*(?:[)\\]}]|,\\s*(?:[)\\]}]|["'][A-Z][A-Z0-9_]*["']))`).test(code);
}
