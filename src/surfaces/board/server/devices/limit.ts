/** At most so many in a window of time: of one, and of all together. What is refused does not count. */

interface Limits {
  readonly each: number;
  readonly all: number;
  /** Milliseconds. */
  readonly window: number;
}

export function openLimit({ all, each, window }: Limits, now: () => number) {
  let taken: { readonly of: string; readonly at: number }[] = [];
  return {
    /** False: too many. */
    take(of: string): boolean {
      const time = now();
      taken = taken.filter(({ at }) => time - at < window);
      if (taken.length >= all || taken.filter((one) => one.of === of).length >= each) return false;
      taken.push({ of, at: time });
      return true;
    },
  };
}
