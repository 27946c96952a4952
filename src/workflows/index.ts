// Front door of the sandbox: the two workflow types, and nothing else.
export { agent } from './agent.js';
export { run } from './run.js';
