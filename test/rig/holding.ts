import type { Store } from "../../src/core/ports/store.ts";

/** Works under the run's lock. */
export async function holding<T>(store: Store, run: string, work: () => T | Promise<T>): Promise<T> {
  await using _lock = await store.hold(run);
  return await work();
}
