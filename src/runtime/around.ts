import type { Cache } from "../core/ports/cache.ts";
import type { Leases } from "../core/ports/claims.ts";
import type { Settings } from "../core/settings.ts";

/** What a look at the runs may need besides the files. */
export interface Around {
  settings(): Promise<Settings>;
  readonly cache?: Cache;
  readonly leases?: Leases | undefined;
  /** ISO 8601 */
  readonly time: string;
}
