// Stands in the bundle for the module of Node that takes longest to load; of it only the clock is used, which is global.
export const { performance } = globalThis;
