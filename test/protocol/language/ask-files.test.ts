// The files of a question: what its attributes mean, and which answers fit.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AskFileAttributes } from '../../../src/protocol/language/tag.js';
import { readAskFiles, uploadProblem, type SentFile, type Upload } from '../../../src/protocol/language/ask-files.js';
import { anyText } from '../../support/any-text.js';

const MIB = 1024 ** 2;

describe('attributes', () => {
  test.each<[AskFileAttributes, object]>([
    [{}, { shown: [] }],
    [
      { upload_slots: 'report:application/pdf|text/plain, photo:image/*,any' },
      {
        shown: [],
        upload: {
          kind: 'slots',
          slots: [
            { name: 'report', types: ['application/pdf', 'text/plain'] },
            { name: 'photo', types: ['image/*'] },
            { name: 'any', types: [] },
          ],
        },
      },
    ],
    [
      { upload_bucket: 'true', upload_mime: 'image/PNG', upload_max_count: '2', upload_max_size: '100' },
      {
        shown: [],
        upload: { kind: 'bucket', types: ['image/png'], maxCount: 2, maxBytes: 100, maxTotalBytes: 100 * MIB },
      },
    ],
    [{ upload_bucket: 'false' }, { shown: [] }],
    [{ choices: 'merge, wait,reject' }, { shown: [], choices: ['merge', 'wait', 'reject'] }],
    [
      { display_files: 'out/plan.md:The plan, b.txt' },
      {
        shown: [
          { path: 'out/plan.md', label: 'The plan' },
          { path: 'b.txt', label: 'b.txt' },
        ],
      },
    ],
  ])('%j', (attributes, files) => {
    expect(readAskFiles(attributes)).toEqual(files);
  });

  test.each<[AskFileAttributes, string]>([
    [{ upload_bucket: 'yes' }, 'upload_bucket'],
    [{ upload_bucket: 'true', upload_slots: 'a' }, 'upload_slots'],
    [{ upload_max_count: '3' }, 'upload_max_count'],
    [{ upload_bucket: 'true', upload_max_size: '0' }, 'upload_max_size'],
    [{ upload_bucket: 'true', upload_max_total_size: '1.5' }, 'upload_max_total_size'],
    [{ upload_mime: 'image/png' }, 'upload_mime'],
    [{ upload_slots: 'a,a' }, 'upload_slots'],
    [{ upload_slots: '' }, 'upload_slots'],
    [{ upload_slots: '.hidden' }, 'upload_slots'],
    [{ upload_slots: 'CON' }, 'upload_slots'],
    [{ display_files: '../x' }, 'display_files'],
    [{ choices: 'a,a' }, 'choices'],
    [{ choices: 'x'.repeat(81) }, 'choices'],
    [{ choices: Array.from({ length: 13 }, (_, index) => index).join(',') }, 'choices'],
    [{ upload_slots: 'shown:text/plain' }, 'upload_slots'],
    [{ display_files: '/x' }, 'display_files'],
    [{ display_files: 'C:\\x' }, 'display_files'],
    [{ display_files: 'a/x,b/x' }, 'display_files'],
    [{ display_files: 'a:.b' }, 'display_files'],
  ])('%j is a mistake of %s', (attributes, attribute) => {
    expect(readAskFiles(attributes)).toMatchObject({ attribute });
  });
});

describe('answers', () => {
  const pdf: SentFile = { name: 'report', bytes: 10, type: 'application/pdf' };
  const png: SentFile = { name: 'photo', bytes: 10, type: 'image/png' };
  const slots: Upload = {
    kind: 'slots',
    slots: [
      { name: 'report', types: ['application/pdf'] },
      { name: 'photo', types: ['image/*'] },
    ],
  };
  const bucket: Upload = { kind: 'bucket', types: ['image/*'], maxCount: 2, maxBytes: 20, maxTotalBytes: 25 };

  test.each<[string, Upload | undefined, readonly SentFile[], string | undefined]>([
    ['no files where none are taken', undefined, [], undefined],
    ['a file where none is taken', undefined, [pdf], 'takes no files'],
    ['every slot', slots, [pdf, png], undefined],
    ['a slot left empty', slots, [pdf], '--file photo=PATH'],
    ['an unknown slot', slots, [pdf, png, { ...pdf, name: 'x' }], 'the slots are report, photo'],
    [
      'a wrong type',
      slots,
      [{ ...pdf, type: 'text/plain' }, png],
      '"report" has the type text/plain; the question takes application/pdf',
    ],
    ['too large for a slot', slots, [{ ...pdf, bytes: 11 * MIB }, png], 'the question takes at most'],
    ['a bucket left empty', bucket, [], undefined],
    ['a full bucket', bucket, [png, { ...png, name: 'b' }], undefined],
    [
      'too many files',
      bucket,
      [png, { ...png, name: 'b' }, { ...png, name: 'c' }],
      '3 files, but the question takes at most 2',
    ],
    ['too large a file', bucket, [{ ...png, bytes: 21 }], 'has 21 bytes, but the question takes at most 20'],
    ['too much together', bucket, [png, { ...png, name: 'b', bytes: 16 }], 'the files have 26 bytes together'],
    ['the wrong type for a bucket', bucket, [pdf], 'the question takes image/*'],
    ['a name twice', bucket, [png, png], 'the same name'],
    ['a name twice but for its case', bucket, [png, { ...png, name: 'PHOTO' }], 'the same name'],
    ['a name like that of the folder of what is shown', bucket, [{ ...png, name: 'shown' }], '"shown" is reserved for'],
    ['the same for other systems', bucket, [{ ...png, name: 'Shown. ' }], 'rename the file'],
    ['a dot as a name', bucket, [{ ...png, name: '.' }], 'is not a valid file name'],
    ['a name of too many bytes', bucket, [{ ...png, name: '日'.repeat(70) }], 'is not a valid file name'],
    ['a path as a name', bucket, [{ ...png, name: '../x' }], 'is not a valid file name'],
  ])('%s', (...[, upload, files, mistake]) => {
    const said = uploadProblem(upload, files);
    if (mistake === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(mistake);
  });
});

test('whatever the attributes and the files that are sent, the answer is a value: what is accepted, or a mistake that names an attribute', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    ':',
    ',',
    '|',
    '/',
    '*',
    '..',
    ' ',
    'true',
    '-1',
    '0',
    '1e9',
    'NaN',
    'text/plain',
    '\0',
  );
  const text = fc.oneof(
    fc.array(piece).map((pieces) => pieces.join('')),
    anyText(),
  );
  const names = [
    'upload_slots',
    'upload_bucket',
    'upload_mime',
    'upload_max_count',
    'upload_max_size',
    'display_files',
  ] as const;
  const attributes = fc.dictionary(fc.constantFrom(...names), text);
  const file = fc.record({ name: text, type: text, bytes: fc.nat() });
  fc.assert(
    fc.property(attributes, fc.array(file), (given, files) => {
      const read = readAskFiles(given);
      if ('expected' in read) {
        expect(Object.keys(given)).toContain(read.attribute);
        return;
      }
      for (const { label } of read.shown) expect(label).not.toMatch(/[/\\\0]/);
      const mistake = uploadProblem(read.upload, files);
      if (read.upload === undefined && files.length > 0) expect(mistake).toEqual(expect.any(String));
    }),
  );
});
