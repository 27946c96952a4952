// Switches off the stack trace that Temporal's SDK takes of every promise in a workflow: up to a quarter of the cost of
// interpreting (ADR 0008). The SDK takes it by `new Error().stack` with the sandbox's own `Error`, so here an error
// without a message has no stack; every other has one. Must be the first import in the sandbox.
import { isLeftToSdk } from './switches.js';

const WithoutStack: ErrorConstructor = new Proxy(Error, {
  construct(target, args, made) {
    if (made !== WithoutStack) return Reflect.construct(target, args, made) as object;
    return args.length === 0 ? (Object.create(target.prototype) as object) : new target(...(args as [string]));
  },
});

if (!isLeftToSdk('stacks')) globalThis.Error = WithoutStack;
