// Loaded before a program (NODE_OPTIONS=--require): at its end writes a line with the most memory it had, in MB.
const { appendFileSync, readFileSync } = require('node:fs');
process.on('exit', () => {
  appendFileSync(process.env.PEAK_FILE, `${peak() / 1024}\n`);
});

/** Linux counts as the usage of a process what its parent had when it was started; the peak of its own memory stands here. */
function peak() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
}
