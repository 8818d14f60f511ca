// Stands in the bundle for Node's assertions in undici, which take long to load; undici calls them as one function only, and the transport goes by the code.
module.exports = (value, message) => {
  if (value) return;
  const error = message instanceof Error ? message : new Error(message ?? 'an assertion of the HTTP client failed');
  throw Object.assign(error, { code: 'ERR_ASSERTION' });
};
