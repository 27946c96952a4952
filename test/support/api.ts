// The API of `raymond serve` as programs call it: over HTTP, in the process of the test. Every JSON answer is checked against its OpenAPI.
import { expect } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openToServe } from '../../dist/client/open.js';
import { DEFAULT_SETTINGS } from '../../dist/activities/settings.js';
import { findProject } from '../../dist/client/project/project.js';
import { openEngine, type Engine } from '../../dist/serve/engine/engine.js';
import type { Of } from '../../dist/serve/types.js';
import { beforeRemoval } from './folder.js';

/** What a call carries. */
interface CallOptions {
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }>
  >;
}

/** What is served, and where. */
interface ApiOptions {
  readonly port?: number;
  readonly tokenFile?: string;
  readonly choice?: { readonly address?: string; readonly taskQueue?: string };
  readonly env?: Readonly<Record<string, string>>;
}

const DOCUMENT = 'openapi';

/** A server with whoever calls it. */
export class Api {
  private described: Promise<Described> | undefined;
  private closed: Promise<void> | undefined;

  private constructor(
    readonly server: Engine,
    private readonly disconnect: () => Promise<void>,
  ) {}

  /** Serves the project of a folder at any free port, or at this one; `choice` = on a cluster that is named so. */
  static async open(cwd: string, { port = 0, tokenFile, choice = {}, env: more = {} }: ApiOptions = {}): Promise<Api> {
    const project = await findProject(cwd);
    const env = { ...process.env, TEMPORAL_ADDRESS: undefined, ...more };
    const raymond = await openToServe(project, { caller: { cwd, env }, choice, report: () => undefined });
    const report = (line: string): void => void process.stderr.write(`${line}\n`);
    const server = await openEngine({
      kind: 'serve',
      raymond,
      settings: { ...DEFAULT_SETTINGS, raymondDir: project.raymondDir },
      report,
      listen: { host: '127.0.0.1', port, origins: [], report, ...(tokenFile === undefined ? {} : { tokenFile }) },
    });
    const api = new Api(server, () => raymond.close());
    beforeRemoval(() => api.close());
    return api;
  }

  /** Calls a route. */
  async call(
    method: string,
    path: string,
    { body, token = this.server.token ?? '', headers }: CallOptions = {},
  ): Promise<Answered> {
    const isJson = body !== undefined && !(body instanceof Uint8Array || body instanceof FormData);
    const response = await fetch(`${this.server.origin}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: isJson ? JSON.stringify(body) : (body as Uint8Array<ArrayBuffer> | FormData) }),
    });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    const read: unknown = type.includes('json') ? JSON.parse(text) : text;
    const answered = { status: response.status, headers: response.headers, body: read };
    if (path !== '/openapi.json') await this.check(`${method} ${path}`, { type, answered });
    return answered;
  }

  /** The ids of the runs that a query lists. */
  async found(query: string): Promise<readonly string[]> {
    return (await this.get('runs', `/runs?${query}`)).runs.map(({ runId }) => runId);
  }

  /** Reads a document; its name says which one is expected. */
  async get<
    Name extends
      'run' | 'runs' | 'inbox' | 'askFiles' | 'workflows' | 'turns' | 'turnDetail' | 'output' | 'outputs' | 'orders',
  >(_name: Name, path: string): Promise<Of<Name>> {
    const { status, body } = await this.call('GET', path);
    expect({ path, status, body }).toMatchObject({ status: 200 });
    return body as Of<Name>;
  }

  /** Does something. */
  async post(path: string, body: unknown = {}): Promise<Answered> {
    return await this.call('POST', path, { body });
  }

  /** Stops it; turns that are under way are torn after so many seconds. */
  close(seconds = 0): Promise<void> {
    this.closed ??= this.server.close(seconds).then(() => this.disconnect());
    return this.closed;
  }

  private async check(
    called: string,
    { type, answered }: { readonly type: string; readonly answered: Answered },
  ): Promise<void> {
    this.described ??= this.call('GET', '/openapi.json').then(({ body }) => body as Described);
    const document = await this.described;
    const [method = '', path = ''] = called.replace(/\?.*$/, '').split(' ');
    const known = Object.keys(document.paths).filter((one) => patternOf(one).test(`/api${path}`));
    const verb = method.toLowerCase();
    const [name, operation] =
      known.map((one) => [one, document.paths[one]?.[verb]] as const).find(([, one]) => one !== undefined) ?? [];
    if (name === undefined || operation === undefined) return;
    const status = `${answered.status}` in operation.responses ? `${answered.status}` : 'default';
    const media = type.replace(/;.*$/, '');
    if (operation.responses[status]?.content?.[media]?.schema === undefined) return;
    const validate = validatorOf(document, ['paths', name, verb, 'responses', status, 'content', media, 'schema']);
    const isValid = validate(answered.body);
    expect({ called, isValid, errors: validate.errors, answered }).toMatchObject({ isValid: true });
  }
}

/** By the text of the document; each schema is compiled once, because compiling takes longer than a call. */
const compilers = new Map<string, Ajv2020>();

function compilerOf(document: Described): Ajv2020 {
  const text = JSON.stringify(document);
  const known = compilers.get(text);
  if (known !== undefined) return known;
  const compiler = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
  compiler.addSchema(document, DOCUMENT);
  compilers.set(text, compiler);
  return compiler;
}

function validatorOf(document: Described, pointer: readonly string[]): ValidateFunction {
  const parts = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  const validate = compilerOf(document).getSchema(`${DOCUMENT}#/${parts.join('/')}`);
  if (validate === undefined) throw new TypeError(`no schema at ${pointer.join('/')}`);
  return validate;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
