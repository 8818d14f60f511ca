// Loaded before the tool (NODE_OPTIONS=--require): V8 tells on stdout which of its compilers made each function of WebAssembly.
require('node:v8').setFlagsFromString('--trace-wasm-compilation-times');
