// Read-only links: what opens one, until when, and what their file gives away.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { cookieOf } from '../../../src/serve/people/identity.js';
import { ViewLinks } from '../../../src/serve/people/links.js';
import { Tokens } from '../../../src/serve/people/tokens.js';
import { folder } from '../../support/folder.js';
import { until } from '../../support/until.js';

const nothing = (): void => undefined;

describe('a read-only link', () => {
  test('opens as a token and as a cookie, to look, also after a restart, until it is revoked', async () => {
    const path = join(await folder({}), 'links.json');
    let changes = 0;
    const links = new ViewLinks(path, () => (changes += 1));
    const { link, token } = await links.create({ name: 'team', hours: 1, by: 'oda' });
    expect(links.list()).toEqual([link]);
    const again = new ViewLinks(path, nothing);
    for (const tokens of [new Tokens([], links), new Tokens([], again)]) {
      expect(tokens.bearer(token)).toEqual({ name: 'link team', role: 'view' });
      expect(tokens.cookie(cookieOf(token))).toEqual({ name: 'link team', role: 'view' });
      expect([tokens.bearer(cookieOf(token)), tokens.cookie(token), tokens.bearer('')]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    }
    again.close();
    await links.revoke(link.id);
    expect({ changes, list: links.list(), who: new Tokens([], links).bearer(token) }).toEqual({
      changes: 1,
      list: [],
      who: undefined,
    });
    await expect(links.revoke(link.id)).rejects.toThrow(`there is no link ${link.id}`);
    links.close();
  });

  test('ends at its time, and streams that are open hear of it', async () => {
    const path = join(await folder({}), 'links.json');
    let changes = 0;
    const links = new ViewLinks(path, () => (changes += 1));
    const { token } = await links.create({ name: 'short', hours: 0.3 / 3600, by: 'oda' });
    await until(() => changes > 0, { what: 'the end of the link' });
    expect({ list: links.list(), who: new Tokens([], links).bearer(token) }).toEqual({ list: [], who: undefined });
    links.close();
  });

  test('is kept as hashes in a private file; a damaged file opens nothing', async () => {
    const path = join(await folder({}), 'links.json');
    const links = new ViewLinks(path, nothing);
    const { token } = await links.create({ name: 'team', hours: 1, by: 'oda' });
    const text = await readFile(path, 'utf8');
    expect([text.includes(token), text.includes(cookieOf(token)), (await stat(path)).mode & 0o777]).toEqual([
      false,
      false,
      0o600,
    ]);
    links.close();
    const damaged = join(await folder({ 'links.json': '[{"id": 1}]' }), 'links.json');
    expect(new ViewLinks(damaged, nothing).list()).toEqual([]);
  });
});
