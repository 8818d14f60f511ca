// Runs two sides in turn and compares them by the ratio within each pair; absolute times mean nothing.
import { spawn } from 'node:child_process';

/** One side: a program, its arguments and environment; answers milliseconds and the most memory in MB, fails when the program does. */
async function timed({ command, args, env }) {
  const started = process.hrtime.bigint();
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
  return Number(process.hrtime.bigint() - started) / 1e6;
}

/** Runs `ours` and `theirs` in turn; the first run of ours, without compiled code, is told apart. */
export async function compare({ name, bar, rounds, ours, theirs }) {
  const first = (await timed(ours)) / (await timed(theirs));
  const ratios = [];
  for (let round = 0; round < rounds; round += 1) {
    const pair = round % 2 === 0 ? [ours, theirs] : [theirs, ours];
    const times = [await timed(pair[0]), await timed(pair[1])];
    ratios.push(round % 2 === 0 ? times[0] / times[1] : times[1] / times[0]);
  }
  ratios.sort((a, b) => a - b);
  return { name, bar, first, median: ratios[Math.floor(rounds / 2)], least: ratios[0], most: ratios[rounds - 1] };
}

/** The results as a table; whether all medians are within their bars. */
export function report(results) {
  const number = (value) => value.toFixed(2).padStart(7);
  console.log(`${'WHAT'.padEnd(28)}    BAR  MEDIAN    MIN    MAX  FIRST RUN`);
  for (const { name, bar, median, least, most, first } of results) {
    const sign = median <= bar ? 'ok' : 'OVER';
    console.log(
      `${name.padEnd(26)}${number(bar)} ${number(median)}${number(least)}${number(most)}    ${number(first)}  ${sign}`,
    );
  }
  return results.every(({ median, bar }) => median <= bar);
}
