// Runs two sides in turn and compares them by the ratio within each pair; absolute times mean nothing.
import { spawn } from 'node:child_process';

/** One side: a program, its arguments and environment, and what comes before and is not counted; answers milliseconds, fails when the program does. */
async function timed({ command, args, env, before }) {
  await before?.();
  const started = process.hrtime.bigint();
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (told += text));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${told}`);
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

const holds = ({ median, bar, memory = 0, memoryBar = 0 }) => median <= bar && memory <= memoryBar;

/** The results as a table; whether all medians, and the most memory in MB where it was measured, are within their bars. */
export function report(results) {
  const number = (value) => value.toFixed(2).padStart(7);
  const whole = (value) => value.toFixed(0).padStart(6);
  const measured = results.some(({ memory }) => memory !== undefined);
  const wide = Math.max(26, ...results.map(({ name }) => name.length));
  console.log(`${'WHAT'.padEnd(wide + 2)}    BAR  MEDIAN    MIN    MAX  FIRST RUN${measured ? '  BAR MB    MB' : ''}`);
  for (const result of results) {
    const { name, bar, median, least, most, first, memory, memoryBar } = result;
    const space = memory === undefined ? '' : `  ${whole(memoryBar)}${whole(memory)}`;
    const ratios = `${number(bar)} ${number(median)}${number(least)}${number(most)}    ${number(first)}`;
    console.log(`${name.padEnd(wide)}${ratios}${space}  ${holds(result) ? 'ok' : 'OVER'}`);
  }
  return results.every(holds);
}
