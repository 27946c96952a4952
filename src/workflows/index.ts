// The entry point of the workflow bundle: the workflow types, and nothing else.
import '../sdk-internals/promise-stacks.js';
import { onReset } from '../sdk-internals/reset.js';
import { resetFailure } from './reset.js';
export { agent } from './agent/agent.js';
export { limiter } from './limiter.js';
export { run } from './run/run.js';

onReset(resetFailure);
