/** The one place where tests wait: for what they can see, never for a time. */

const EACH_MILLISECONDS = 10;
/** Far longer than anything takes on a busy machine: it only ends a test that would wait for ever. */
const MAX_MILLISECONDS = 50_000;

/** The real clock's, also where a test has put another one in its place. */
const { setTimeout } = globalThis;

/** Looks until there is something to be seen, and returns it. */
export async function until<T>(look: () => T | Promise<T>): Promise<Exclude<T, null | undefined | false>> {
  const end = performance.now() + MAX_MILLISECONDS;
  for (;;) {
    const seen = await look();
    if (seen) return seen as Exclude<T, null | undefined | false>;
    if (performance.now() > end) throw new Error(`It did not come to that: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, EACH_MILLISECONDS));
  }
}

/** The same in a shell: waits until `test` says so (`shellUntil("-e go")`), for as long as its folder is there. */
export function shellUntil(condition: string): string {
  return `until test ${condition}; do test -e "$PWD" || exit 9; sleep 0.02; done`;
}

let hung = 0;

/** A shell's words for a process that only ends when it is ended. Each is its own, so that no other run's is taken for it. */
export function hangs(): string {
  hung += 1;
  return `sleep ${process.pid}${String(hung).padStart(4, "0")}`;
}
