// Finds files that a script writes after it has changed its directory, and that a later state looks for in the working directory.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { Graph, StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { plainText, scriptsOf, searchableText, statesOf, type ScriptState } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { relativeFiles } from './relative-files.js';
import { mayBeSameFile, type TaskFile } from './task-files.js';

/** The changes of the directory after which a script leaves files that a later state does not find. */
export function* filesLeftInDirectory(analysis: Analysis): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis)) {
    const change = changeOf(state);
    if (change === undefined || state.hasUnknownTargets) continue;
    const left = relativeFiles(state).filter((file) => isLeft(state, file, change));
    if (left.length === 0) continue;
    const found = readerOf(analysis, { state, left });
    if (found === undefined) continue;
    yield {
      at: state.source.raw.at(change.at),
      state: state.file,
      message: `this changes the directory of this script only: ${found.reader} runs in the working directory of the agent, where it does not find ${found.name}`,
      fix: 'name the directory in the paths of both states, or continue with <reset cd="…">',
    };
  }
}

interface Change {
  readonly at: number;
}

const PLACE = String.raw`(?:["']?(?!\.\.?["']?[\s);&|])(?:[\w-][\w./-]*|\/[\w./-]+|\$\{?\w+\}?(?:\/[\w./-]+)?)["']?)`;

/** The one place at which a script changes its directory, outside of functions and subshells. */
function changeOf(state: ScriptState): Change | undefined {
  const code = plainText(state);
  const isShell = executorOf(state.file) === 'bash';
  const all = code.match(isShell ? /\b(?:cd|pushd|popd)[ \t]+\S|\bcd\s*$/gm : /\bchdir\(|\bcwd\s*=/g) ?? [];
  if (all.length !== 1 || /\$\{?(?:OLDPWD|PWD)\b|\$\(pwd\)|\bgetcwd\(\)/.test(code)) return undefined;
  const pattern = isShell
    ? String.raw`^(?:cd|pushd)[ \t]+(?:--[ \t]+)?${PLACE}(?=[ \t]*(?:$|;|&&|\|\||>))`
    : String.raw`^[ \t]*(?:os|process)\.chdir\([^\n]*$`;
  const match = new RegExp(pattern, 'm').exec(code);
  const isOtherPlace = match !== null && !/\.\.|cwd|start|root|top|home|\bhere\b|STATE_DIR/i.test(match[0]);
  return !isOtherPlace || /^\($/m.test(code.slice(0, match.index)) ? undefined : { at: match.index };
}

/** True for a file that a script writes in the other directory, and that it names nowhere else. */
function isLeft(state: ScriptState, { name, at, use }: TaskFile, change: Change): boolean {
  if (use !== 'write' || at < change.at) return false;
  const code = searchableText(state);
  const plain = name.replace(/[^\w*-]/g, '\\$&').replace(/\*/g, '\\S*');
  const before = code.slice(0, change.at);
  return (
    !(name.startsWith('*') ? before.includes(`${name}"`) : new RegExp(`(?<![\\w.-])${plain}(?!\\w)`).test(before)) &&
    !new RegExp(`\\.\\.?/["']?${plain}`).test(code)
  );
}

/** A state that gets no other directory, and that reads one of these files. */
function readerOf(
  analysis: Analysis,
  { state, left }: { readonly state: StateNode; readonly left: readonly TaskFile[] },
): { readonly reader: string; readonly name: string } | undefined {
  const followers = followersOf(analysis.graph, state);
  for (const reader of statesOf(analysis)) {
    if (!followers.has(reader.file) || reader === state || changesDirectory(reader)) continue;
    const uses = [...relativeFiles(reader)].sort((one, other) => one.at - other.at);
    const read = uses.find(
      (file, index) =>
        file.use === 'read' &&
        left.some((one) => mayBeSameFile(one.name, file.name)) &&
        !uses.slice(0, index).some((one) => one.use !== 'read' && mayBeSameFile(one.name, file.name)),
    );
    if (read !== undefined && !isWrittenByOthers(analysis, { states: [state, reader], name: read.name }))
      return { reader: reader.file, name: read.name };
  }
  return undefined;
}

function isWrittenByOthers(
  analysis: Analysis,
  { states, name }: { readonly states: readonly StateNode[]; readonly name: string },
): boolean {
  const plain = name.replace(/^\*|\*$/g, '');
  return statesOf(analysis).some(
    (other) =>
      !states.includes(other) &&
      (searchableText(other).includes(plain) || relativeFiles(other).some((file) => mayBeSameFile(file.name, name))),
  );
}

/** The states that the agent reaches in the same working directory. */
function followersOf({ states }: Graph, state: StateNode): ReadonlySet<string> {
  const found = new Set<string>();
  const pending = [state];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const edge of next.edges) {
      if (edge.to.kind !== 'state' || !isOwnTransition(edge) || edge.mention.attributes.has('cd')) continue;
      const to = states.get(edge.to.file);
      if (to === undefined || found.has(to.file)) continue;
      found.add(to.file);
      pending.push(to);
    }
  return found;
}

function changesDirectory(state: StateNode): boolean {
  return /\b(?:cd|pushd|chdir)\b|\bcwd\s*[=:,]|[ \t]-C[ \t]/.test(searchableText(state));
}
