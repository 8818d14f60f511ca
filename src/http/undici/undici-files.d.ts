declare module 'undici/lib/dispatcher/pool.js' {
  const Pool: typeof import('undici').Pool;
  export = Pool;
}

declare module 'undici/lib/dispatcher/client.js' {
  const Client: typeof import('undici').Client;
  export = Client;
}
