// How fast the machine is: bars in seconds, and waits of so many milliseconds, mean less where it is slower than the one they were set on.
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';

const ROUNDS = 9;
/** Milliseconds of `node -e 0` where the bars were set. */
const START_THEN = '22 to 27';
const FILES = 6000;
/** How many signatures are measured at a time. */
const BATCH = 20;

/** The median of what a function takes, in milliseconds. */
function median(work) {
  const times = Array.from({ length: ROUNDS }, () => {
    const from = performance.now();
    work();
    return performance.now() - from;
  }).sort((a, b) => a - b);
  return times[Math.floor(ROUNDS / 2)];
}

/** Seconds that Node itself takes to sign so many digests, and to verify each. */
function signatures(type, hash, options) {
  const { publicKey, privateKey } = generateKeyPairSync(type, options);
  const digest = randomBytes(32);
  const batch = median(() => {
    for (let at = 0; at < BATCH; at += 1) verify(hash, digest, publicKey, sign(hash, digest, privateKey));
  });
  return ((batch / 1000) * (FILES / BATCH)).toFixed(1);
}

/** One line for the head of a report. */
export function machineLine({ command, args, env }) {
  const start = median(() => {
    if (spawnSync(command, args, { env }).status !== 0) throw new Error(`${command} does not start`);
  }).toFixed(0);
  const rsa = signatures('rsa', 'sha256', { modulusLength: 3072 });
  const ed25519 = signatures('ed25519', null);
  return `this machine: "node -e 0" in ${start} ms (${START_THEN} where the bars were set); ${FILES} signatures made and verified by Node alone ${rsa} s with RSA 3072, ${ed25519} s with Ed25519`;
}
