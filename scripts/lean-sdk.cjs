// A loader of webpack for two files of Temporal's SDK: the protocol loses what only workers and Temporal Cloud use, a third of it, and
// converters are loaded by path with Node's own `require`.
module.exports = function leanSdk(source) {
  if (!this.resourcePath.endsWith('json-module.js'))
    return source.replace('require(path)', '__non_webpack_require__(path)');
  const [begin, end] = [source.indexOf('.addJSON(') + '.addJSON('.length, source.lastIndexOf('});') + 1];
  const protocol = JSON.parse(source.slice(begin, end));
  delete protocol.coresdk;
  delete protocol.temporal.nested.api.nested.cloud;
  return `${source.slice(0, begin)}${JSON.stringify(protocol)}${source.slice(end)}`;
};
