// Jest's environment, and a way out of it: what was built (dist) is loaded by Node itself, once for all test files of a Jest worker, as users
// load it. In Jest's own module registry every file would load and compile the program and Temporal's SDK anew: a third of the suite's time.
import { isNativeError } from 'node:util/types';
import { TestEnvironment } from 'jest-environment-node';

/** A Node environment whose tests can `importByNode`. */
export default class NodeEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.importByNode = (address) => import(address);
    recogniseErrors(this.global.Error);
    mapOnlyTestFiles();
  }
}

/** Errors that Node and what it has loaded throw are errors in tests, too. */
function recogniseErrors(OwnError) {
  const inherits = Function.prototype[Symbol.hasInstance];
  const isInstance = function (value) {
    return inherits.call(this, value) || (this === OwnError && isNativeError(value));
  };
  Object.defineProperty(OwnError, Symbol.hasInstance, { value: isInstance });
}

/** Temporal asks for a stack with every promise; Jest's look-up of source maps is of use to stacks with lines of ours alone. */
function mapOnlyTestFiles() {
  const mapped = Error.prepareStackTrace;
  if (mapped === undefined) return;
  Error.prepareStackTrace = (error, frames) =>
    frames.some((frame) => frame.getFileName()?.endsWith('.ts'))
      ? mapped(error, frames)
      : [String(error), ...frames.map((frame) => `    at ${frame}`)].join('\n');
}
