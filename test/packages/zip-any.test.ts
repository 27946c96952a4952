// Zip packages of any bytes: read right or refused, within the limits, and never anything else.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ScopeError } from '../../src/packages/error.js';
import { MAX_ENTRIES, MAX_PACKAGE_BYTES } from '../../src/packages/limits.js';
import { readZip } from '../../src/packages/zip.js';
import { folder } from '../support/folder.js';
import { zipFile } from './zip-file.js';

describe('any bytes at all', () => {
  const path = folder().then((made) => join(made, 'any.zip'));
  const entries = [
    { name: '1_START.md', content: 'Hello\n' },
    { name: 'B.sh', content: 'echo '.repeat(50) },
    { name: 'C.md', content: 'c', stored: true },
  ];
  const valid = zipFile(entries);
  const contents = entries.map(({ content }) => content);

  /** Reads `bytes`; all that may happen is a ScopeError or a package within the limits. */
  async function survives(bytes: Uint8Array): Promise<'read' | 'refused'> {
    await writeFile(await path, bytes);
    try {
      const { files, size } = await readZip(await path);
      expect(files.size).toBeLessThanOrEqual(MAX_ENTRIES);
      expect(size).toBeLessThanOrEqual(MAX_PACKAGE_BYTES);
      for (const [name, { content }] of files) {
        expect(name).toMatch(/^[^/\\\p{Cc}]+$/u);
        expect(contents).toContain(content.toString());
      }
      return 'read';
    } catch (error) {
      if (error instanceof ScopeError) return 'refused';
      throw error;
    }
  }

  test('are refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        expect(await survives(bytes)).toBe('refused');
      }),
      { numRuns: 200 },
    );
  });

  const change = fc.record({ at: fc.nat(valid.length - 1), byte: fc.integer({ min: 0, max: 255 }) });

  test('a zip file with some bytes changed is read or refused, and nothing is read wrongly', async () => {
    const outcomes = { read: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const bytes = Buffer.from(valid);
        for (const { at, byte } of changes) bytes[at] = byte;
        outcomes[await survives(bytes)] += 1;
      }),
      { numRuns: 500 },
    );
    // Both must happen, or the changes would show nothing.
    expect(Math.min(outcomes.read, outcomes.refused)).toBeGreaterThan(0);
  });

  test('a zip file with a piece cut out or put in is read or refused', async () => {
    const piece = fc.record({ at: fc.nat(valid.length), cut: fc.nat(60), put: fc.uint8Array({ maxLength: 20 }) });
    await fc.assert(
      fc.asyncProperty(piece, async ({ at, cut, put }) => {
        await survives(Buffer.concat([valid.subarray(0, at), put, valid.subarray(at + cut)]));
      }),
      { numRuns: 300 },
    );
  });
});
