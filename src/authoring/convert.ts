// What authors of packages ask for, on any form of a package; mistakes in a package are `InvalidWorkflow` errors.
import { resolve } from 'node:path';
import { ScopeError } from '../packages/error.js';
import { convertPackage, type ConvertedPackage } from '../packages/convert/convert.js';
import { openArgument } from '../packages/locate.js';
import { PLATFORM } from '../packages/state.js';
import { isUrl } from '../protocol/scope.js';
import { ClientError } from '../client/error.js';

/** The folder that arguments are relative to, and the folder for downloads. */
export interface AuthorPlace {
  readonly cwd: string;
  readonly cacheDir: string;
}

/** What to convert, as the user named it. */
interface ConvertRequest {
  readonly from: string;
  readonly to: string;
  readonly without?: readonly string[];
  readonly force?: boolean;
}

/** Converts a package, also one on the web. */
export async function convert({ from, to, ...how }: ConvertRequest, location: AuthorPlace): Promise<ConvertedPackage> {
  return await forAuthors(async () => {
    const source = await pathOf(from, location);
    return await convertPackage({ from: source, to: resolve(location.cwd, to), ...how });
  });
}

/** The path of a package; one with an address is downloaded. */
export async function pathOf(argument: string, location: AuthorPlace): Promise<string> {
  if (!isUrl(argument)) return resolve(location.cwd, argument);
  const { scope, entry } = await openArgument(argument, { ...location, platform: PLATFORM });
  if (entry === undefined) return scope.path;
  throw new ScopeError('InvalidName', `${argument} names a state; name its package`);
}

/** A package error as a client error. */
export async function forAuthors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ScopeError ? new ClientError('InvalidWorkflow', error.message, { cause: error }) : error;
  }
}
