// The words of names: identifiers that src/ declares are of the glossary. What is serialized keeps its old names, so only words that nothing
// serialized has are forbidden here.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';

/** No name has one of these words in it: each has a plainer one. */
const WORDS = new Set(
  'anew befall befalls bench books elsewhere unbooked converse fare flight flights flown heed heeded mend mended news obeyed slip slips surroundings told tear torn untold upkeep wish wished wishes workbench'.split(
    ' ',
  ),
);

/** Whole names that say what something reminds of, and not what it is. */
const NAMES = new Set(
  'Claim Due Family Files Lost Orders Patience Place Silence askPlace attend goOn leads mayGoOn placeOf whoIs'.split(
    ' ',
  ),
);

/** Names of the API and of the library, which programs rely on. */
const PUBLIC: ReadonlySet<string> = new Set(['src/serve/types.ts Orders', 'src/page/parts/orders.tsx Orders']);

const wordsOf = (name: string): readonly string[] =>
  (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());

/** The names that a file declares, each with its line. */
function declaredIn(file: string): readonly { readonly name: string; readonly line: number }[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: { readonly name: string; readonly line: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (isDeclaration(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.name.getStart(source));
      found.push({ name: node.name.text, line: line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isDeclaration(node: ts.Node): node is ts.NamedDeclaration & { readonly name: ts.Identifier } {
  const isNamed =
    ts.isVariableDeclaration(node) ||
    ts.isBindingElement(node) ||
    ts.isParameter(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isGetAccessorDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node);
  return isNamed && node.name !== undefined && ts.isIdentifier(node.name);
}

test('no identifier of the source is of the private dialect', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const wrong = files.flatMap((file) => {
    const path = join('src', file);
    return declaredIn(path).flatMap(({ name, line }) => {
      const isWrong = NAMES.has(name) || wordsOf(name).some((word) => WORDS.has(word));
      return isWrong && !PUBLIC.has(`${path} ${name}`) ? [`${path}:${line}: ${name}`] : [];
    });
  });
  expect(wrong).toEqual([]);
});
