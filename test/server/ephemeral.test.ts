// The server in memory of `raymond test`: it lives as long as the process that started it, however that ends.
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { startEphemeralServer } from '../../dist/server/ephemeral.js';
import { findCli } from '../../dist/server/find.js';
import { until } from '../support/until.js';

const MODULE = fileURLToPath(new URL('../../dist/server/ephemeral.js', import.meta.url));
const STARTER = `import { startEphemeralServer } from ${JSON.stringify(MODULE)};
console.log((await startEphemeralServer({ report: () => {} })).address);
setInterval(() => {}, 1000);`;

async function answers(address: string): Promise<boolean> {
  try {
    await fetch(`http://${address}/`);
    return true;
  } catch (error) {
    // What is no HTTP/1 is an answer.
    return (error as { readonly cause?: { readonly code?: string } }).cause?.code !== 'ECONNREFUSED';
  }
}

test('a server ends with `stop`', async () => {
  const server = await startEphemeralServer({ report: () => undefined });
  expect(await answers(server.address)).toBe(true);
  await server.stop();
  expect(await answers(server.address)).toBe(false);
});

test('a server ends when its process is killed', async () => {
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', STARTER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [address] = (await once(createInterface({ input: starter.stdout }), 'line')) as [string];
  expect(await answers(address)).toBe(true);
  starter.kill('SIGKILL');
  await until(async () => !(await answers(address)), { what: 'the end of the server' });
});

test('a server that cannot start is reported with what it printed', async () => {
  const refused = startEphemeralServer({ cli: '/bin/false', report: () => undefined });
  await expect(refused).rejects.toThrow('/bin/false');
});

test('a server that loses its port to another program is started with other ports', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'raymond-ephemeral-'));
  const { path } = await findCli({ report: () => undefined });
  const cli = join(dir, 'temporal');
  await writeFile(
    cli,
    `#!/bin/sh
if [ "$1" = server ]; then
  echo "$*" >>'${dir}/calls'
  [ "$(wc -l <'${dir}/calls')" -gt 1 ] || { echo 'bind: address already in use' >&2; exit 1; }
fi
exec '${path}' "$@"
`,
    { mode: 0o755 },
  );
  const server = await startEphemeralServer({ cli, report: () => undefined });
  expect(await answers(server.address)).toBe(true);
  await server.stop();
  const [first, second] = (await readFile(join(dir, 'calls'), 'utf8')).split('\n');
  expect(second).not.toBe(first);
  await rm(dir, { recursive: true });
});
