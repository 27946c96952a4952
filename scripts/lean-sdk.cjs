// A loader of webpack for three files of Temporal's SDK and its libraries. The protocol loses what only workers and Temporal Cloud use, a
// third of it. Converters are loaded by path with Node's own `require`. What writes and reads a message, which protobufjs generates and
// compiles at run time, is generated function by function, when it is first called: a command needs a fifth of it.
module.exports = function leanSdk(source) {
  if (this.resourcePath.endsWith('type.js')) return withLazyCoders(source);
  if (!this.resourcePath.endsWith('json-module.js'))
    return source.replace('require(path)', '__non_webpack_require__(path)');
  const [begin, end] = [source.indexOf('.addJSON(') + '.addJSON('.length, source.lastIndexOf('});') + 1];
  const protocol = JSON.parse(source.slice(begin, end));
  delete protocol.coresdk;
  delete protocol.temporal.nested.api.nested.cloud;
  return `${source.slice(0, begin)}${JSON.stringify(protocol)}${source.slice(end)}`;
};

const CODERS = ['encode', 'decode', 'verify', 'fromObject', 'toObject'];

function withLazyCoders(source) {
  const found = [];
  const lazy = source.replace(/this\.(\w+) = ([\w.]+\(this\)\(\{[^}]*\}\));/g, (_, name, generate) => {
    found.push(name);
    return `this.${name} = lazily(() => ${generate});`;
  });
  if (found.join() !== CODERS.join()) throw new Error(`protobufjs generates ${found.join()}, not ${CODERS.join()}`);
  return `${lazy}
function lazily(generate) {
  let generated;
  return function () {
    return (generated ??= generate()).apply(this, arguments);
  };
}
`;
}
