// Removes the findings that an author has suppressed: in the frontmatter of a prompt, in a comment of a script, or in the config; never in
// text that a model reads. An unused suppression is a finding itself.
import { nearest } from '../../protocol/text.js';
import type { Graph, StateNode } from '../graph.js';
import type { Position } from '../position.js';
import type { Finding } from './rule.js';
import { RULES, UNUSED_SUPPRESSION, ruleOf } from './rules.js';

interface Suppression {
  readonly id: string;
  readonly at: Position;
  readonly state: string;
}

/** The findings without suppressed ones, plus one for each unused suppression. */
export function unsuppressed(
  findings: readonly Finding[],
  { graph, ignored }: { readonly graph: Graph; readonly ignored: readonly string[] },
): readonly Finding[] {
  const suppressions = [...graph.states.values()].flatMap(suppressionsIn);
  const used = new Set<Suppression>();
  const remaining = findings.filter(({ id, state }) => {
    const matching = suppressions.filter((suppression) => suppression.id === id && suppression.state === state);
    for (const suppression of matching) used.add(suppression);
    return matching.length === 0 && !ignored.includes(id);
  });
  // Where shellcheck is not installed, its suppressions always look unused.
  const unused = suppressions.filter((suppression) => !used.has(suppression) && !/^sc-\d{4}$/.test(suppression.id));
  const reported = ignored.includes(UNUSED_SUPPRESSION.id) ? [] : unused.map(findingOf);
  return [
    ...remaining,
    ...reported.filter(
      ({ state }) =>
        !suppressions.some(({ id, state: suppressed }) => id === UNUSED_SUPPRESSION.id && suppressed === state),
    ),
  ];
}

function findingOf({ id, at, state }: Suppression): Finding {
  const suggestion =
    ruleOf(id) === undefined
      ? nearest(
          id,
          RULES.map((rule) => rule.id),
        )
      : undefined;
  const unknown =
    suggestion === undefined ? `there is no rule ${id}` : `there is no rule ${id}, did you mean ${suggestion}?`;
  const message = ruleOf(id) === undefined ? unknown : `${id} is suppressed here, but reports nothing`;
  const fix = suggestion === undefined ? 'remove it' : `write ${suggestion}, or remove it`;
  // An author may suppress what only some versions of a rule report.
  const severity = ruleOf(id) === undefined ? UNUSED_SUPPRESSION.severity : 'info';
  return { id: UNUSED_SUPPRESSION.id, severity, at, state, message, fix };
}

function suppressionsIn({ source, file }: StateNode): readonly Suppression[] {
  if (source.kind === 'prompt') {
    const key = source.prompt.keys.find(({ key }) => key === 'lint_ignore');
    if (key === undefined) return [];
    return idsIn(Array.isArray(key.value) ? key.value.join(',') : String(key.value)).map((id) => ({
      id,
      at: key.valueAt,
      state: file,
    }));
  }
  if (source.kind !== 'script') return [];
  return [...source.raw.text.matchAll(/^[ \t]*(?:#|\/\/|::|rem\b)[ \t]*raymond-lint[ \t]+ignore=([\w,-]+)/gim)].flatMap(
    (match) => {
      const at = source.raw.at(match.index + match[0].length - (match[1] ?? '').length);
      return idsIn(match[1] ?? '').map((id) => ({ id, at, state: file }));
    },
  );
}

function idsIn(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((id) => id !== '');
}
