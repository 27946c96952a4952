// The limits of the config on files of answers: what a question shows, and what is refused.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Uploads } from '../../src/serve/uploads.js';
import { FolderStore } from '../../src/store/folder.js';
import { folder } from '../support/folder.js';

const ask = { runId: 'r', askId: 'ask_main_1' };
const BUCKET = { kind: 'bucket', types: [], maxCount: 10, maxBytes: 100, maxTotalBytes: 1000 } as const;

test('the limits of the config lower those of a question', async () => {
  const root = await folder();
  const caps = { fileBytes: 8, totalBytes: 12, count: 2 };
  const uploads = new Uploads(join(root, 'uploads'), new FolderStore(join(root, 'artifacts')), caps);
  const add = (name: string, text: string): Promise<unknown> =>
    uploads.add({ ...ask, name, body: new Blob([text]).stream(), contentType: null, maxBytes: 100 });

  expect(uploads.limited(BUCKET)).toEqual({ ...BUCKET, maxCount: 2, maxBytes: 8, maxTotalBytes: 12 });
  await expect(add('a', '123456789')).rejects.toThrow('the file has more than 8 bytes');
  await add('a', '12345678');
  await expect(add('b', '12345')).rejects.toThrow(
    'the file has more than 4 bytes, the most that the question still takes',
  );
  await add('b', '1234');
  await expect(add('c', '')).rejects.toThrow('an answer may have at most 2 files');
  await add('b', '12');
  expect((await uploads.of(ask)).map(({ name, bytes }) => [name, bytes])).toEqual([
    ['a', 8],
    ['b', 2],
  ]);
});

test.each([
  {
    what: 'a text has the type that its sender names',
    name: 'table',
    contentType: 'text/csv; charset=utf-8',
    type: 'text/csv',
  },
  {
    what: 'a text with an extension has the type of the extension',
    name: 't.csv',
    contentType: 'text/plain',
    type: 'text/csv',
  },
  { what: 'a text of which nothing names the type is plain', name: 'table', contentType: null, type: 'text/plain' },
  {
    what: 'a text that is sent as something else is plain',
    name: 'table',
    contentType: 'application/pdf',
    type: 'text/plain',
  },
  {
    what: 'bytes have the type of their content',
    name: 'table',
    contentType: 'text/csv',
    type: 'application/pdf',
    text: '%PDF-1.7\n',
  },
])('$what', async ({ name, contentType, type, text = 'a,b\n' }) => {
  const root = await folder();
  const uploads = new Uploads(join(root, 'uploads'), new FolderStore(join(root, 'artifacts')));
  const sent = await uploads.add({ ...ask, name, body: new Blob([text]).stream(), contentType, maxBytes: 100 });
  expect(sent).toMatchObject({ name, type });
});
