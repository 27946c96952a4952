// The arguments and results of handlers, typed by the table of routes: the compiler checks each against the schemas of
// its row.
import type { z } from 'zod';
import type { Raymond } from '../client/open.js';
import type { Catalogue } from './catalogue.js';
import type { EventHub } from './events/hub.js';
import type { LiveOutput } from './events/live-output.js';
import type { ROUTES, Media, RouteName } from './routes.js';
import type { Identity } from './people/identity.js';
import type { ViewLinks } from './people/links.js';
import type { Uploads } from './uploads.js';

/** What all handlers share. */
export interface Serving {
  readonly raymond: Raymond;
  readonly catalogue: Catalogue;
  readonly hub: EventHub;
  readonly output: LiveOutput;
  readonly uploads: Uploads;
  readonly links: ViewLinks;
  /** The display name of this server. */
  readonly version: string;
}

type Row<Name extends RouteName> = (typeof ROUTES)[Name];

/** The parameters of a path. */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & ParamsOf<Rest>
  : unknown;

type QueryOf<Name extends RouteName> =
  Row<Name> extends { readonly query: infer Query extends z.ZodType } ? z.infer<Query> : unknown;

type BodyOf<Name extends RouteName> =
  Row<Name> extends { readonly body: infer Body } ? (Body extends z.ZodType ? z.infer<Body> : undefined) : undefined;

/** The result of a handler: the document, or a response that is not JSON. */
type AnswerOf<Name extends RouteName> =
  Row<Name> extends { readonly answer: infer Answer }
    ? Answer extends z.ZodType
      ? z.infer<Answer>
      : Response
    : undefined;

/** A file of a form: `name` is its field. */
export interface FormFile {
  readonly name: string;
  readonly bytes: Blob;
}

/** One call. `raymond` acts in the caller's name. */
export interface Call<Name extends RouteName> {
  readonly params: ParamsOf<Row<Name>['path']>;
  readonly query: QueryOf<Name>;
  readonly body: BodyOf<Name>;
  /** The files of a form; none with JSON. */
  readonly files: readonly FormFile[];
  readonly who: Identity;
  readonly raymond: Raymond;
  readonly request: Request;
}

/** Handles a route. */
type Handler<Name extends RouteName> = (serving: Serving, call: Call<Name>) => Promise<AnswerOf<Name>>;

/** Handlers of some routes. */
export type Handlers<Name extends RouteName> = { readonly [Key in Name]: Handler<Key> };

/** A route that returns bytes. */
export type { Media };
