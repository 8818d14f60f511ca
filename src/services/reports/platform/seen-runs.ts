/** A table of so many slots, of 6 bytes each, stays in the cache of a processor. */
const SLOTS = 2 ** 18;
/** How many slots, one behind the other, a run may be in. */
const NEAR = 16;

/**
 * Tells of each run whether it came before. It keeps 48 bits of a hash, in memory that does not grow: of more than some
 * 100,000 runs it gradually forgets the older ones, each by chance, so that a page that comes again is still seen.
 */
export function seenRuns(): (run: string) => boolean {
  const words = new Uint32Array(SLOTS);
  const halves = new Uint16Array(SLOTS);
  return (run) => {
    const [low, high] = hashOf(run);
    // 0 is an empty slot.
    const word = low >>> 0 || 1;
    const half = high >>> 16;
    let slot = high & (SLOTS - 1);
    for (let tried = 0, next = slot; tried < NEAR; tried++, next = (next + 1) & (SLOTS - 1)) {
      if (words[next] === 0) {
        slot = next;
        break;
      }
      if (words[next] === word && halves[next] === half) return true;
    }
    words[slot] = word;
    halves[slot] = half;
    return false;
  };
}

/** Two words of 32 bits, as cyrb53 makes them of a text. */
function hashOf(text: string): readonly [number, number] {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 2_654_435_761);
    b = Math.imul(b ^ unit, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return [a, b];
}
