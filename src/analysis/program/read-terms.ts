// Reads the terms of a program with the reader of its language.
import { NodeTerms } from './node-terms.js';
import { PythonTerms } from './python-terms.js';
import { childrenOf } from './program.js';
import { changedNames, Scope, type JoinTerm, type ParsedProgram, type Terms } from './terms.js';

/** The terms of a parsed program. */
export function readTerms({ text, tree, language }: ParsedProgram): Terms {
  const isPython = language === 'python';
  const reading = isPython ? new PythonTerms(text) : new NodeTerms(text);
  const scope = new Scope();
  for (const node of childrenOf(tree.topNode)) reading.statement(node, scope);
  reading.finish();
  return {
    joins: [...reading.joins] as JoinTerm[],
    comparisons: reading.comparisons,
    members: reading.members,
    calls: reading.calls,
    functions: reading.functions,
    imported: reading.imported,
    changed: changedNames(text),
    isPython,
  };
}
