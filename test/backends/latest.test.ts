// The user's latest conversation in a folder, among those of other folders, of Raymond's own turns and of subagents.
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { latestConversation } from '../../src/backends/latest.js';
import { FolderStore } from '../../src/store/folder.js';
import { folder } from '../support/folder.js';

const OLD = '11111111-1111-4111-8111-111111111111';
const NEW = '22222222-2222-4222-8222-222222222222';
const RAYMONDS = '33333333-3333-5333-8333-333333333333';

/** Files that were written one second after the other. */
async function written(home: string, files: readonly (readonly [name: string, text: string])[]): Promise<void> {
  for (const [index, [name, text]] of files.entries()) {
    const path = join(home, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    await utimes(path, 1000 + index, 1000 + index);
  }
}

test('of Claude Code', async () => {
  const home = await folder();
  const artifacts = new FolderStore(await folder());
  const wanted = { backend: 'claude', cwd: '/my/flow', env: { CLAUDE_CONFIG_DIR: home } } as const;
  expect(await latestConversation(artifacts, wanted)).toBeUndefined();
  await written(home, [
    [`projects/-my-flow/${OLD}.jsonl`, 'old'],
    [`projects/-my-flow/${NEW}.jsonl`, 'new'],
    [`projects/-my-flow/${RAYMONDS}.jsonl`, 'a turn of a run'],
    [`projects/-my-flow/agent-${OLD}.jsonl`, 'a subagent'],
    [`projects/-my-other/${OLD}.jsonl`, 'another folder'],
  ]);
  const found = await latestConversation(artifacts, wanted);
  expect(found).toEqual({ id: NEW, sha256: expect.any(String) });
  expect(await artifacts.text({ sha256: found?.sha256 ?? '', bytes: 3 })).toBe('new');
});

test('of pi', async () => {
  const home = await folder();
  const artifacts = new FolderStore(await folder());
  const head = (cwd: string): string => `${JSON.stringify({ type: 'session', cwd })}\n`;
  await written(home, [
    [`sessions/--my-flow--/2026_${OLD}.jsonl`, head('/my/flow')],
    [`sessions/--my-flow--/2026_${NEW}.jsonl`, `${head('/my/flow')}more`],
    [`sessions/--my-flow--/2027_${OLD}.jsonl`, 'not JSON'],
    [`sessions/--my-other--/2027_${OLD}.jsonl`, head('/my/other')],
    [`raymond/${RAYMONDS}/2027_${OLD}.jsonl`, head('/my/flow')],
  ]);
  const wanted = { backend: 'pi', cwd: '/my/flow', env: { PI_CODING_AGENT_DIR: home } } as const;
  expect(await latestConversation(artifacts, wanted)).toEqual({ id: NEW, sha256: expect.any(String), backend: 'pi' });
});
