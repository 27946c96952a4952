// What authors of packages ask for, on whichever form of a package: what is wrong with it is an `InvalidWorkflow` error.
import { resolve } from 'node:path';
import { ScopeError } from '../packages/error.js';
import { convertPackage, type ConvertedPackage } from '../packages/convert/convert.js';
import { openArgument } from '../packages/locate.js';
import { PLATFORM } from '../packages/state.js';
import { isUrl } from '../protocol/scope.js';
import { ClientError } from '../client/error.js';

/** Where arguments are read, and where downloads are kept. */
export interface AuthorPlace {
  readonly cwd: string;
  readonly cacheDir: string;
}

/** What to convert, as it was named. */
export interface ConvertRequest {
  readonly from: string;
  readonly to: string;
  readonly without?: readonly string[];
  readonly force?: boolean;
}

/** Converts a package, also one on the web. */
export async function convert({ from, to, ...how }: ConvertRequest, place: AuthorPlace): Promise<ConvertedPackage> {
  return await forAuthors(async () => {
    const source = await pathOf(from, place);
    return await convertPackage({ from: source, to: resolve(place.cwd, to), ...how });
  });
}

/** The path of a package, after its download if it has an address. */
export async function pathOf(argument: string, place: AuthorPlace): Promise<string> {
  if (!isUrl(argument)) return resolve(place.cwd, argument);
  const { scope, entry } = await openArgument(argument, { ...place, platform: PLATFORM });
  if (entry === undefined) return scope.path;
  throw new ScopeError('InvalidName', `${argument} names a state; name its package`);
}

/** What is wrong with a package in the words of a client's error. */
export async function forAuthors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ScopeError ? new ClientError('InvalidWorkflow', error.message, { cause: error }) : error;
  }
}
