// Stands in the bundle for a module of Node that the HTTP client loads at every start for a protocol that is switched off here.
export const constants = {};
