// Stands in the bundle for Node's assertions in undici, which takes long to load; undici calls it as a function only.
module.exports = (value, message) => {
  if (!value) throw message instanceof Error ? message : new Error(message ?? 'an assertion of the HTTP client failed');
};
