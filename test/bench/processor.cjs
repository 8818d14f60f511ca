// Loaded before a program (NODE_OPTIONS=--require): at its end writes a line with the seconds of processor time it took.
const { appendFileSync } = require('node:fs');
process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  appendFileSync(process.env.PROCESSOR_FILE, `${(userCPUTime + systemCPUTime) / 1e6}\n`);
});
