// Loaded before a program (NODE_OPTIONS=--require): at its end writes a line with the most memory it had, in MB.
process.on('exit', () => {
  require('node:fs').appendFileSync(process.env.PEAK_FILE, `${process.resourceUsage().maxRSS / 1024}\n`);
});
