// Stands in the bundle for parts of libraries that the tool never calls, so that no start has to load them.
const leftOut = () => {
  throw new Error('this part of a library is not in the bundle');
};
module.exports = new Proxy(leftOut, { get: (_, name) => (name === '__esModule' ? undefined : leftOut) });
