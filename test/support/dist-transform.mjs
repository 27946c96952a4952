// A module of dist as tests see it: the names that it exports, whose values Node's own instance of the module has (node-environment.mjs).
import { pathToFileURL } from 'node:url';

/** Jest's transformer for dist; asynchronous, for only the module itself knows what it exports. */
export default {
  async processAsync(_source, path) {
    const address = pathToFileURL(path).href;
    const names = Object.keys(await import(address));
    const exported = names.map((name) => `export const ${name} = module.${name};`);
    return { code: [`const module = await importByNode(${JSON.stringify(address)});`, ...exported].join('\n') };
  },
};
