// The rule about values in the `environment` of a manifest: Raymond replaces ${NAME} in them, and nothing else.
import { literalPattern } from '../../../protocol/text.js';
import type { Position } from '../../position.js';
import { searchableText, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

/** A state that expands the values of variables itself. */
const EXPANDS =
  /\beval\b|\benvsubst\b|\b(?:ba)?sh\s+-\w*c\b|shell\s*=\s*True|\bos\.system\b|expand(?:vars|user)|\bexec(?:Sync)?\(|homedir|\/#\\?~/;

const ONLY_NAMES = 'in the manifest, Raymond replaces only ${NAME}';

/** What Raymond leaves as it is in a value, and what to write. */
const UNFILLED: readonly (readonly [pattern: RegExp, why: string, fix: string])[] = [
  [/(?<![\\$])\$([A-Za-z_]\w+)/, ONLY_NAMES, 'write the name in braces, as in ${NAME}'],
  [/\$\{\w+(?:[:#%/^,+=?-])[^}]*\}/, ONLY_NAMES, 'write ${NAME}, and give the default in the script'],
  [/\$\([^)]*\)/, ONLY_NAMES, 'run the command in the script'],
  [/\{\{\w+\}\}/, ONLY_NAMES, 'read the variable in the state itself'],
  [/^~(?=\/|$)/, 'only a shell replaces ~, and only where it is written without quotation marks', 'write ${HOME}'],
];

function* unfilledValues(analysis: Analysis): Generator<FindingDetails> {
  const environment = analysis.graph.source.parsedManifest?.environment ?? {};
  const isExpanded = statesOf(analysis).some((state) => EXPANDS.test(searchableText(state)));
  for (const [name, value] of Object.entries(environment)) {
    const at = positionOf(analysis, name);
    const found = isExpanded ? undefined : UNFILLED.find(([pattern]) => pattern.test(value));
    if (found !== undefined) {
      const [pattern, why, fix] = found;
      yield { at, message: `${pattern.exec(value)?.[0] ?? ''} in the value of ${name} is not replaced: ${why}`, fix };
      continue;
    }
    const sibling = siblingIn(environment, { name, value });
    if (sibling !== undefined)
      yield {
        at,
        message: `\${${sibling}} is not the ${sibling} of this manifest, but a variable of the command that starts the run`,
        fix: `write the value of ${sibling} in full`,
      };
    else if (name === 'PATH' && !/\$\{PATH\}|(?:^|:)\/(?:usr\/)?bin(?:\/|:|$)/.test(value))
      yield {
        at,
        message: 'this value replaces the PATH of all states, so their scripts do not find commands such as ls',
        fix: `write ${value}:\${PATH}`,
      };
  }
}

/** A name that a value takes from outside, though the same list sets it. */
function siblingIn(
  environment: Readonly<Record<string, string>>,
  { name, value }: { readonly name: string; readonly value: string },
): string | undefined {
  return [...value.matchAll(/\$\{(\w+)\}/g)]
    .map(([, other = '']) => other)
    .find((other) => other !== name && environment[other]?.includes(`\${${other}}`) === false);
}

/** Where a name stands under `environment`. */
export function positionOf({ graph: { source } }: Analysis, name: string): Position {
  const key = source.manifest?.keys.find((one) => one.key === 'environment');
  if (key === undefined) return { file: source.path, line: 1, column: 1 };
  const { file, line: first } = key.at;
  const pattern = new RegExp(`(?<![\\w-])${literalPattern(name)}["']?\\s*:`);
  const lines = (source.textOf(file) ?? '').split('\n');
  for (let line = first; line <= lines.length; line++) {
    const column = (lines[line - 1] ?? '').search(pattern);
    if (column >= 0) return { file, line, column: column + 1 };
  }
  return key.at;
}

/** The rule about the environment of a manifest. */
export const ENVIRONMENT_RULES: readonly Rule[] = [
  {
    id: 'environment-not-filled',
    severity: 'warning',
    summary:
      'Under environment in the manifest, a value contains text that Raymond does not replace, such as $NAME, ~ or a name from the same list, or PATH lacks the usual folders.',
    why: 'In a value, Raymond replaces ${NAME} by the variable NAME of the command that starts the run. It runs no commands and expands neither $NAME without braces nor ~ nor a default such as ${NAME:-x}, and it does not look at the other names of the list. A PATH replaces the whole search path of the scripts.',
    check: unfilledValues,
  },
];
