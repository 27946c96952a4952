// Tokens and where they are written: a file of them is private, and every mistake in it is told with its line.
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { cookieOf, ownToken, readTokens, Tokens } from '../../src/serve/tokens.js';
import { folder } from '../support/folder.js';

const TOKEN = 'v'.repeat(32);

describe('the token of a project', () => {
  test('is made once, in a file that nobody else may read', async () => {
    const at = join(await folder({}), 'serve');
    const { token, role } = await ownToken(at);
    expect({ long: token.length > 40, role }).toEqual({ long: true, role: 'operate' });
    expect((await stat(join(at, 'token'))).mode & 0o777).toBe(0o600);
    expect((await ownToken(at)).token).toBe(token);
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

  test('that others may read, or in which a line is no token, is refused', async () => {
    expect(await mistake(`a view ${TOKEN}`, 0o644)).toContain('chmod 600');
    expect(await mistake(`a view ${TOKEN}\nb all ${TOKEN}`)).toContain('tokens:2: expected NAME ROLE TOKEN');
    expect(await mistake('a view short')).toContain('less than 20 characters');
    expect(await mistake('# nobody\n')).toContain('has no tokens');
  });
});
