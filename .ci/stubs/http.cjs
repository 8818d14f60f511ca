// Stands in the bundle for Node's HTTP client, of which undici asks only for a class and a number: our bodies are never of that class, the number is always given.
exports.IncomingMessage = class {};
exports.maxHeaderSize = 16_384;
