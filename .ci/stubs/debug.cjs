// Stands in the bundle for a library that would print what oclif does, flags and their values too, when DEBUG is set.
module.exports = () => () => {};
