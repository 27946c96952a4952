// A server that stops answering while a command is connected to it.
import { expect, test } from '@jest/globals';
import { connectClient } from '../../src/client/connect.js';
import { explained } from '../../src/client/explain.js';
import { NO_KEYS } from '../../src/codec/keys.js';
import { FolderStore } from '../../src/store/folder.js';
import { folder } from '../support/folder.js';
import { sharedServer } from '../support/shared-server.js';
import { SlowLink } from '../support/slow-link.js';

test('a call that gets no answer ends, and says that Temporal does not answer', async () => {
  const proxy = await SlowLink.to(`http://${await sharedServer()}`, { bytesPerSecond: Infinity });
  const address = proxy.endpoint.replace('http://', '');
  const values = { keys: NO_KEYS, store: new FolderStore(await folder()) };
  const link = await connectClient({ address, namespace: 'default', options: { address } }, values, 500);
  const described = async (): Promise<unknown> => await link.client.workflow.getHandle('unknown').describe();
  await expect(described()).rejects.toThrow('not found');
  proxy.stall();
  const error = await described().catch((thrown: unknown) => thrown);
  expect(await explained(error, {})).toMatchObject({
    code: 'Unreachable',
    message: expect.stringContaining('Temporal does not answer'),
  });
  await link.close();
});
