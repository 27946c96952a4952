// JSON schemas for editors, made from the zod schemas that read the same files: a manifest, a package in YAML, a
// frontmatter, the config and a test file. Shipped in schemas/ (scripts/schemas.mjs writes them). They accept only the
// usual spelling: no keywords in capitals, no keys without a value.
import { z } from 'zod';
import { configSchema } from './client/project/config.js';
import { manifestSchema } from './packages/manifest.js';
import { policySchema } from './packages/policy-fields.js';
import { yamlPackageSchema } from './packages/yaml.js';
import { testFileSchema } from './testing/case-schema.js';

const DRAFT = 'http://json-schema.org/draft-07/schema#';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** All of them, by file name. */
export function editorSchemas(): Readonly<Record<string, JsonSchema>> {
  const manifest = manifestSchema.required({ id: true });
  return {
    'config.schema.json': jsonSchemaOf(configSchema, { title: 'The config of Raymond, .raymond/config.toml' }),
    'frontmatter.schema.json': jsonSchemaOf(policySchema, { title: 'The frontmatter of a prompt', isYaml: true }),
    'package.schema.json': jsonSchemaOf(yamlPackageSchema, {
      title: 'A workflow in one YAML file',
      isYaml: true,
      remarks: true,
    }),
    'test.schema.json': jsonSchemaOf(testFileSchema, { title: 'A test file, NAME.test.yaml', isYaml: true }),
    'workflow.schema.json': jsonSchemaOf(manifest, { title: 'A manifest, workflow.yaml', isYaml: true, remarks: true }),
  };
}

interface Kind {
  readonly title: string;
  /** Raymond reads every value as the text that was written. */
  readonly isYaml?: boolean;
  /** Keys `x-…` are for people, and for anchors. */
  readonly remarks?: boolean;
}

function jsonSchemaOf(schema: z.ZodType, { title, isYaml = false, remarks = false }: Kind): JsonSchema {
  const made = z.toJSONSchema(schema, {
    target: 'draft-7', // what the YAML language server and taplo know
    io: 'input',
    unrepresentable: 'any',
  });
  const { $schema = DRAFT, ...rest } = JSON.parse(JSON.stringify(made), (_key, part: unknown) => {
    if (!isSchema(part)) return part;
    return closed(isYaml ? asWritten(part) : part, remarks);
  }) as JsonSchema;
  return { $schema, title, ...rest };
}

function isSchema(part: unknown): part is JsonSchema {
  return typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string';
}

/** Editors show numbers and booleans where Raymond reads text. */
function asWritten(schema: JsonSchema): JsonSchema {
  if (schema.type !== 'string') return schema;
  const { type: _type, const: only, enum: words = only === undefined ? undefined : [only], ...rest } = schema;
  if (words === undefined) {
    const type: JsonSchema['type'] =
      schema.pattern === undefined ? ['string', 'number', 'boolean'] : ['string', 'number'];
    return { ...rest, type };
  }
  const both = words.flatMap((word) => (word === 'true' || word === 'false' ? [word, word === 'true'] : [word]));
  return { ...rest, enum: both };
}

/** Editors report what Raymond warns about. */
function closed(schema: JsonSchema, remarks: boolean): JsonSchema {
  if (schema.properties === undefined || schema.type !== 'object') return schema;
  return {
    ...schema,
    additionalProperties: schema.additionalProperties ?? false,
    ...(remarks ? { patternProperties: { '^x-': {} } } : {}),
  };
}
