// Findings that an author has seen and accepts: named in the frontmatter of a prompt, in a comment of a script, or in the config; never in
// text that a model reads. A suppression that suppresses nothing is a finding itself.
import { nearest } from '../../protocol/text.js';
import type { Graph, StateNode } from '../graph.js';
import type { Position } from '../position.js';
import type { Finding } from './lint.js';
import { RULES, UNUSED_SUPPRESSION, ruleOf } from './rules.js';

interface Suppression {
  readonly id: string;
  readonly at: Position;
  readonly state: string;
}

/** The findings that nobody has accepted, with one for each suppression that was in vain. */
export function unsuppressed(
  findings: readonly Finding[],
  { graph, everywhere }: { readonly graph: Graph; readonly everywhere: readonly string[] },
): readonly Finding[] {
  const written = [...graph.states.values()].flatMap(suppressionsIn);
  const used = new Set<Suppression>();
  const left = findings.filter(({ id, state }) => {
    const by = written.filter((suppression) => suppression.id === id && suppression.state === state);
    for (const suppression of by) used.add(suppression);
    return by.length === 0 && !everywhere.includes(id);
  });
  // What shellcheck would say is not known where it is not installed.
  const vain = written.filter((suppression) => !used.has(suppression) && !/^sc-\d{4}$/.test(suppression.id));
  const told = everywhere.includes(UNUSED_SUPPRESSION.id) ? [] : vain.map(findingOf);
  return [
    ...left,
    ...told.filter(({ state }) => !written.some(({ id, state: own }) => id === UNUSED_SUPPRESSION.id && own === state)),
  ];
}

function findingOf({ id, at, state }: Suppression): Finding {
  const near =
    ruleOf(id) === undefined
      ? nearest(
          id,
          RULES.map((rule) => rule.id),
        )
      : undefined;
  const unknown = near === undefined ? `there is no rule ${id}` : `there is no rule ${id}, did you mean ${near}?`;
  const message = ruleOf(id) === undefined ? unknown : `${id} is suppressed here, but not found`;
  return { id: UNUSED_SUPPRESSION.id, severity: UNUSED_SUPPRESSION.severity, at, state, message, fix: 'remove it' };
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
  return [...source.raw.text.matchAll(/^[ \t]*(?:#|::|rem\b)[ \t]*raymond-lint[ \t]+ignore=([\w,-]+)/gim)].flatMap(
    (match) => {
      const at = source.raw.at(match.index + match[0].length - (match[1] ?? '').length);
      return idsIn(match[1] ?? '').map((id) => ({ id, at, state: file }));
    },
  );
}

function idsIn(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((id) => id !== '');
}
