/** Inputs made of seeds: changed, cut, doubled, joined, and with awkward pieces put in. */

const AWKWARD = [
  "\0",
  "\r\n",
  "\ufeff",
  "\u200b",
  "\u202e",
  "\u{1f9d1}\u200d\u{1f33e}",
  "\x1b[2J",
  "../",
  ".git/",
  "'",
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ":",
  "- ",
  "&a ",
  "*a",
  "<<: ",
  "!!js ",
  "__proto__",
  "constructor",
  "null",
  "NaN",
  "1e999",
  "-1",
  "9007199254740993",
  "\t",
  "|",
  ">",
  "#",
  "%",
].map((text) => Buffer.from(text));

/** Deterministic: the same seed gives the same inputs. */
export function chance(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

export function mutate(seeds: readonly Uint8Array[], random: () => number): Uint8Array {
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  let bytes: Uint8Array = Buffer.from(pick(seeds));
  for (let left = 1 + Math.floor(random() * 6); left > 0; left--) bytes = once(bytes, seeds, random, pick);
  return bytes.subarray(0, 256 * 1024);
}

function once(
  bytes: Uint8Array,
  seeds: readonly Uint8Array[],
  random: () => number,
  pick: <T>(items: readonly T[]) => T,
): Uint8Array {
  const at = Math.floor(random() * (bytes.length + 1));
  const end = Math.min(bytes.length, at + Math.floor(random() * random() * 64));
  const [head, middle, tail] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
  switch (Math.floor(random() * 7)) {
    case 0:
      return Buffer.concat([head, Buffer.from([Math.floor(random() * 256)]), tail]);
    case 1:
      return Buffer.concat([head, tail]);
    case 2:
      return Buffer.concat([head, middle, middle, tail]);
    case 3:
      return Buffer.concat([
        head,
        ...Array.from({ length: 2 ** Math.floor(random() * 9) }, () => middle),
        tail,
      ]);
    case 4:
      return Buffer.concat([head, pick(seeds)]);
    case 5:
      return Buffer.concat([
        head,
        ...Array.from({ length: 2 ** Math.floor(random() * 11) }, () => pick(AWKWARD)),
        tail,
      ]);
    default:
      return Buffer.concat([head, pick(AWKWARD), middle, tail]);
  }
}
