// OpenAPI 3.1 of the API, made from the table of routes and its schemas, so that the description always matches the
// server.
import { z } from 'zod';
import * as contract from './contract.js';
import * as events from './event-types.js';
import { ROUTES, type Media, type Route } from './routes.js';

type Json = Record<string, unknown>;

/** The whole description. */
export function openApi(version: string): Json {
  const { schemas, refs } = components();
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(ROUTES) as [string, Route][])
    paths[`/api${route.path}`] = { ...paths[`/api${route.path}`], [route.method]: operation(route, { name, refs }) };
  return {
    openapi: '3.1.0',
    info: { title: 'Raymond', version, description: 'Runs and their questions; docs/reference/api.md explains it.' },
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'raymond_PORT' },
      },
    },
  };
}

type Refs = ReadonlyMap<z.ZodType, string>;

/** The named schemas. */
function components(): { readonly schemas: Json; readonly refs: Refs } {
  const registry = z.registry<{ id: string }>();
  const refs = new Map<z.ZodType, string>();
  for (const [name, schema] of Object.entries({ ...contract, event: events.event }))
    if (schema instanceof z.ZodType && !refs.has(schema)) {
      refs.set(schema, name);
      registry.add(schema, { id: name });
    }
  const made = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}` });
  return { schemas: Object.fromEntries(Object.entries(made.schemas).map(([id, schema]) => [id, bare(schema)])), refs };
}

function operation(route: Route, { name, refs }: { readonly name: string; readonly refs: Refs }): Json {
  const { path, summary, role, query, body, form, status = 200, answer } = route;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => {
    return { name: parameter, in: 'path', required: true, schema: { type: 'string' } };
  });
  return {
    operationId: name,
    summary,
    ...(role === undefined ? {} : { 'x-role': role }),
    parameters: [...inPath, ...inQuery(query)],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { ...content(body, refs), ...(form && FORM) } } }),
    responses: {
      [status]: { description: summary, ...(answer === undefined ? {} : { content: content(answer, refs) }) },
      default: {
        description: 'An error',
        content: { 'application/problem+json': { schema: schemaOf(contract.problem, refs) } },
      },
    },
  };
}

/** A field `text`, and a field for each file, by its slot or its name. */
const FORM: Json = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      properties: { text: { type: 'string' } },
      additionalProperties: { type: 'string', format: 'binary' },
    },
  },
};

function inQuery(query: z.ZodObject | undefined): readonly Json[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: bare(z.toJSONSchema(schema as z.ZodType)),
  }));
}

function content(value: z.ZodType | Media, refs: Refs): Json {
  if ('media' in value) return { [value.media]: {} };
  return { 'application/json': { schema: schemaOf(value, refs) } };
}

function schemaOf(schema: z.ZodType, refs: Refs): Json {
  const name = refs.get(schema);
  return name === undefined ? bare(z.toJSONSchema(schema)) : { $ref: `#/components/schemas/${name}` };
}

function bare({ $schema: _dialect, $id: _id, ...schema }: Json): Json {
  return schema;
}
