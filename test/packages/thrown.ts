// What a package's mistake looks like to a test: its code and its words.
import { ScopeError } from '../../src/packages/error.js';

/** `Code: message` of the ScopeError that `work` ends with; anything else fails the test. */
export async function thrownBy(work: () => unknown): Promise<string> {
  try {
    const value = await work();
    throw new TypeError(`nothing was thrown, but given ${JSON.stringify(value)}`);
  } catch (error) {
    if (error instanceof ScopeError) return `${error.code}: ${error.message}`;
    throw error;
  }
}
