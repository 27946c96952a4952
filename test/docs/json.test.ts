// The page about JSON beside the schemas: it has a section for every command and names every field.
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { DOCUMENTS } from '../../src/client/documents/documents.js';

const page = await readFile(new URL('../../docs/reference/json.md', import.meta.url), 'utf8');

/** The names of all fields in a JSON schema, however deep. */
function fieldsIn(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(fieldsIn);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, below]) => {
    const named = key === 'properties' ? Object.keys(below as object) : [];
    return [...named, ...fieldsIn(key === 'properties' ? Object.values(below as object) : below)];
  });
}

test.each(Object.entries(DOCUMENTS))(
  'docs/reference/json.md has a section about %s and names all of its fields',
  (name, schema) => {
    expect(page).toContain(`\n## \`${name}\`\n`);
    const fields = new Set(fieldsIn(z.toJSONSchema(schema)));
    expect([...fields].filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
  },
);
