/** All subsets where there are few; else none, all, every beginning, all but one, one alone, and random ones. */
export function* subsets(size: number, samples: number, seed: number): Generator<readonly boolean[]> {
  const all = Array.from({ length: size }, (_, index) => index);
  if (size <= 6) {
    for (let bits = 0; bits < 2 ** size; bits++) yield all.map((index) => (bits >> index) % 2 === 1);
    return;
  }
  for (let length = 0; length <= size; length++) yield all.map((index) => index < length);
  for (const one of all) {
    yield all.map((index) => index === one);
    yield all.map((index) => index !== one);
  }
  const random = seeded(seed);
  for (let sample = 0; sample < samples; sample++) {
    const keep = random();
    yield all.map(() => random() < keep);
  }
}

/** Numbers from 0 to 1 that are the same on every run. */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
