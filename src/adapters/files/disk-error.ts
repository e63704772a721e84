import { fixOf, meaningOf } from "../../core/errno.ts";
import { PawlError } from "../../core/error.ts";
import { errnoOf } from "./disk.ts";

/** Turns a failed disk call into a readable `disk-failed`. Returns anything else unchanged. */
export function toDiskError(thrown: unknown, doing: string): unknown {
  if (thrown instanceof PawlError) return thrown;
  const code = errnoOf(thrown);
  if (code === null || !/^E[A-Z0-9]+$/.test(code)) return thrown;
  const path = (thrown as NodeJS.ErrnoException).path;
  const where = path === undefined ? "" : ` at ${path}`;
  return new PawlError(
    "disk-failed",
    `${doing} failed${where}: ${meaningOf(code)} (${code}).`,
    fixOf(code),
    thrown,
  );
}

/** Runs the work and throws its disk failures as `disk-failed`. `doing` begins the sentence. */
export async function guarded<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw toDiskError(thrown, doing);
  }
}
