// Switches off the stack that Temporal's SDK takes of every promise in a workflow, up to a quarter of what interpreting costs (ADR 0008). The SDK
// takes it by `new Error().stack` with the sandbox's own `Error`: an error without any words has no stack here, every other has. Imported
// before anything else in the sandbox.
import { isLeftToSdk } from './switches.js';

const WithoutStack: ErrorConstructor = new Proxy(Error, {
  construct(target, args, made) {
    if (made !== WithoutStack) return Reflect.construct(target, args, made) as object;
    return args.length === 0 ? (Object.create(target.prototype) as object) : new target(...(args as [string]));
  },
});

if (!isLeftToSdk('stacks')) globalThis.Error = WithoutStack;
