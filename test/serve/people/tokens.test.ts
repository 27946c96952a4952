// Tokens and where they are written: a file of them is private, and every mistake in it is reported with its line.
import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { cookieOf } from '../../../src/serve/people/identity.js';
import { followTokens, ownToken, readTokens, Tokens } from '../../../src/serve/people/tokens.js';
import { folder } from '../../support/folder.js';
import { until } from '../../support/until.js';

const TOKEN = 'v'.repeat(32);

describe('the token of a project', () => {
  test('is made once, in a file that nobody else may read', async () => {
    const at = join(await folder({}), 'serve');
    const { token, role } = await ownToken(at);
    expect({ long: token.length > 40, role }).toEqual({ long: true, role: 'operate' });
    expect((await stat(join(at, 'token'))).mode & 0o777).toBe(0o600);
    expect((await ownToken(at)).token).toBe(token);
  });

  test('is made again where a full disk has left an empty file', async () => {
    const at = await folder({ token: '' });
    expect((await ownToken(at)).token.length).toBeGreaterThan(40);
  });

  test('opens as a token, and what stands in cookies as a cookie only', () => {
    const tokens = new Tokens([{ token: TOKEN, name: 'anna', role: 'view' }]);
    expect(tokens.bearer(TOKEN)).toEqual({ name: 'anna', role: 'view' });
    expect(tokens.cookie(cookieOf(TOKEN))).toEqual({ name: 'anna', role: 'view' });
    expect([tokens.cookie(TOKEN), tokens.bearer(cookieOf(TOKEN)), tokens.bearer('')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('a file of tokens', () => {
  const mistake = async (text: string, mode = 0o600): Promise<string> => {
    const at = join(await folder({ tokens: text }), 'tokens');
    await chmod(at, mode);
    return await readTokens(at).then(
      () => 'none',
      (error: unknown) => (error as Error).message,
    );
  };

  test('that other users can read, or in which a line is no token, is refused', async () => {
    expect(await mistake(`a view ${TOKEN}`, 0o644)).toContain('chmod 600');
    expect(await mistake(`a view ${TOKEN}\nb all ${TOKEN}`)).toContain('tokens:2: expected NAME ROLE TOKEN');
    expect(await mistake('a view short')).toContain('less than 20 characters');
    expect(await mistake('# nobody\n')).toContain('has no tokens');
  });

  test('counts as it is now; while it cannot be read, as it was', async () => {
    const at = join(await folder({ tokens: `anna view ${TOKEN}` }), 'tokens');
    await chmod(at, 0o600);
    const tokens = new Tokens(await readTokens(at));
    const said: string[] = [];
    let changes = 0;
    const end = followTokens(at, { tokens, report: (line) => said.push(line), changed: () => void (changes += 1) });
    try {
      await writeFile(at, 'anna view');
      await until(() => said.some((line) => line.includes('tokens:1: expected NAME ROLE TOKEN')));
      expect({ role: tokens.bearer(TOKEN)?.role, changes }).toEqual({ role: 'view', changes: 0 });
      await writeFile(at, `oda operate ${'o'.repeat(32)}`);
      await until(() => changes === 1);
      expect([tokens.bearer(TOKEN), tokens.cookie(cookieOf(TOKEN))]).toEqual([undefined, undefined]);
      expect(tokens.bearer('o'.repeat(32))).toEqual({ name: 'oda', role: 'operate' });
    } finally {
      end();
    }
  });
});
