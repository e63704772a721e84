/** The one place where a test waits: for what it can see, never for a time. */

const EACH_MILLISECONDS = 10;
/** Far longer than anything takes on a busy machine: it only ends a test that would wait for ever. */
const MOST_MILLISECONDS = 50_000;

/** Looks until there is something to be seen, and returns it. */
export async function until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const end = performance.now() + MOST_MILLISECONDS;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (performance.now() > end) throw new Error(`It did not come to that: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, EACH_MILLISECONDS));
  }
}
