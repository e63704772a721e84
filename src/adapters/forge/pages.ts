/** Lists that a forge answers page by page. */
import { HttpFailure } from "../net/failure.ts";

export interface Page<T> {
  readonly items: readonly T[];
  /** Another page follows. */
  readonly more: boolean;
}

const MAX_PAGES = 100;

/** Throws if there are too many, since the content of the last ones would be unknown. */
export async function everyPage<T>(read: (page: number) => Promise<Page<T>>): Promise<readonly T[]> {
  const found: T[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { items, more } = await read(page);
    found.push(...items);
    if (!more) return found;
  }
  throw new HttpFailure({ reason: "too-large", detail: `more than ${MAX_PAGES} pages` });
}

/**
 * Whether another page follows. Pages are requested by number, never by the link itself, which may point
 * elsewhere.
 */
export function hasNext(link: string | null | undefined): boolean {
  return /;\s*rel="?next"?/.test(link ?? "");
}
