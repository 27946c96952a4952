// Writes actual values into a test file, where the file names a path, cost, result, wait or hash that has changed. All
// other text stays, comments included.
import { writeFile } from 'node:fs/promises';
import { isMap, isSeq, parseDocument, type Document } from 'yaml';
import { isSameState } from '../backends/scripted/script.js';
import { MAX_BYTES, readPlainText } from '../host/plain-file.js';
import { MAIN_AGENT, stem } from '../protocol/ids.js';
import type { ArtifactStore } from '../store/store.js';
import type { TestCase } from './case-file.js';
import type { CaseRecord } from './case-run.js';
import { inUnits, promptsOfKey, visitsOf } from './expect.js';
import type { CaseOutcome } from './suite.js';

/** Updates one file from the outcomes of its cases; true when something changed. */
export async function updateFile(
  file: string,
  { outcomes, artifacts }: { readonly outcomes: readonly CaseOutcome[]; readonly artifacts: ArtifactStore },
): Promise<boolean> {
  const text = await readPlainText(file, MAX_BYTES.test);
  const document = parseDocument(text);
  for (const { test, record, differences, notes } of outcomes) {
    const path = pathOf(document, test.name);
    if (record === undefined || path === undefined) continue;
    const changed = new Set([...differences, ...notes].map(({ key }) => key.split('.')[0]));
    if (changed.has('hashes')) updateHashes(document, { path, test, record });
    for (const [name, { is }] of Object.entries(test.expected.prompts ?? {})) {
      const [prompt] = promptsOfKey(name, record);
      if (is !== undefined && prompt !== undefined && is.trim() !== prompt.trim())
        document.setIn([...path, 'expect', 'prompts', name, 'is'], prompt.trim());
    }
    const seen = await seenIn(record, { test, artifacts });
    for (const [key, value] of Object.entries(seen))
      if (changed.has(key)) document.setIn([...path, 'expect', key], value);
  }
  const updated = document.toString({ lineWidth: 0 });
  if (updated === text) return false;
  await writeFile(file, updated);
  return true;
}

/** The YAML node of a case: an item of `cases`, or the whole file. A row of a table has none: its values are the author's. */
function pathOf(document: Document, name: string): readonly (string | number)[] | undefined {
  const cases = document.get('cases');
  if (!isSeq(cases)) return [];
  const index = cases.items.findIndex((item) => isMap(item) && String(item.get('name')) === name);
  return index < 0 ? undefined : ['cases', index];
}

interface Seen {
  readonly test: TestCase;
  readonly record: CaseRecord;
  readonly path: readonly (string | number)[];
}

function updateHashes(document: Document, { test, record, path }: Seen): void {
  for (const [name, hash] of Object.entries(test.hashes)) {
    const now = record.turns.find(({ state }) => isSameState(name, state))?.stateSha256;
    if (now === undefined || now.startsWith(hash)) continue;
    const own = [...path, 'hashes', name];
    document.setIn(document.hasIn(own) ? own : ['hashes', name], now.slice(0, hash.length));
  }
}

/** The expected values that can be updated without a person's judgement. */
async function seenIn(
  record: CaseRecord,
  { test: { expected }, artifacts }: { readonly test: TestCase; readonly artifacts: ArtifactStore },
): Promise<Readonly<Record<string, unknown>>> {
  const { path, cost, result, waited } = expected;
  const { view, waits } = record;
  const ways = (ids: readonly string[]): object =>
    Object.fromEntries(ids.map((id) => [id, visitsOf(record, id).map(stem)]));
  const isWhole = result !== undefined && 'is' in result && Object.keys(result).length === 1;
  return {
    ...(path === undefined
      ? {}
      : { path: Array.isArray(path) ? visitsOf(record, MAIN_AGENT).map(stem) : ways(Object.keys(path)) }),
    ...(cost?.operator === '=' ? { cost: view.costUsd } : {}),
    ...(isWhole && view.result !== undefined ? { result: await artifacts.text(view.result) } : {}),
    ...(waited === undefined ? {} : { waited: totals(waits) }),
  };
}

function totals(waits: CaseRecord['waits']): object {
  const sums = new Map<string, number>();
  for (const { agentId, state, seconds } of waits) {
    const name = `${agentId === MAIN_AGENT ? '' : `${agentId}/`}${stem(state)}`;
    sums.set(name, (sums.get(name) ?? 0) + seconds);
  }
  return Object.fromEntries([...sums].map(([name, seconds]) => [name, inUnits(seconds)]));
}
