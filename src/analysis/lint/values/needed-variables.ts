// Finds where a script needs a variable of its environment: it uses the variable without a default, by its name or by a function that gets
// the name. Pure.
import type { Position } from '../../position.js';
import type { SourceFile } from '../../source.js';
import { plainText } from '../helpers.js';

/** Where a script, or a module of scripts, uses a variable without a default. */
export function neededAt(source: SourceFile, name: string): Position | undefined {
  if (source.kind !== 'script') return undefined;
  const code = plainText({ source });
  const use = readByName(code, name) ?? (readsAnyName(code) ? givenAsName(code, name) : undefined);
  return use && source.raw.at(use.index + use[0].lastIndexOf(name));
}

function readByName(code: string, name: string): RegExpExecArray | undefined {
  const read = new RegExp(
    `\\$${name}\\b|\\(\\([^()\\n]{0,80}?(?<![\\w.$])${name}\\b[^()\\n]{0,80}\\)\\)|\\$\\{${name}(?:\\}|:?\\?|[#%/^,])|environ\\[["']${name}["']|process\\.env\\.${name}\\b(?!\\s*\\?)|\\{[^{}\\n]{0,200}(?<![\\w.])${name}(?![\\w]|[ \\t]*=)[^{}\\n]{0,200}\\}[ \\t]*=[ \\t]*process\\.env\\b`,
  ).exec(code);
  return read ?? undefined;
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

/** Where a name is in a list, or the last argument of a call, and no default follows. */
function givenAsName(code: string, name: string): RegExpExecArray | undefined {
  const inList = new RegExp(
    `^[ \\t]*(?:for[ \\t]+\\w+[ \\t]+in\\b[^\\n;]*|(?!export|unset|local|read|declare)\\w+)[ \\t]["']?${name}(?=["']?(?:[ \\t;]|$))`,
    'm',
  ).exec(code);
  const isLast = new RegExp(`["']${name}["']\\s*(?:[)\\]}]|,\\s*(?:[)\\]}]|["'][A-Z][A-Z0-9_]*["']))`);
  return inList ?? isLast.exec(code) ?? undefined;
}
