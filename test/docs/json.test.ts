// The pages about JSON beside the schemas: they have a section for every command and name every field.
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { DOCUMENTS } from '../../src/client/documents/documents.js';
import { joined, pagesOf } from '../support/doc-pages.js';

const page = joined(await pagesOf('json'));

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
  'a page about JSON has a section about %s, and the pages name all of its fields',
  (name, schema) => {
    expect(page).toContain(`\n## \`${name}\`\n`);
    const fields = new Set(fieldsIn(z.toJSONSchema(schema)));
    expect([...fields].filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
  },
);
