import type { Events } from "../wire.ts";
import { happenedOf } from "./happened.ts";
import type { BoardProject } from "./projects.ts";

const USUAL = 100;
const MOST = 500;

/** A page of the event log, the newest first. */
export async function eventsOf(
  { key, log }: BoardProject,
  given: { readonly before: string | undefined; readonly limit: string | undefined },
): Promise<Events> {
  const opened = await log();
  const end = (await opened.look())?.end ?? 0;
  const before = Math.min(wholeNumber(given.before) ?? end, end);
  const limit = Math.min(wholeNumber(given.limit) ?? USUAL, MOST);
  const entries = await opened.readBack({ before, limit });
  const oldest = entries.at(-1)?.start ?? 0;
  return {
    events: entries.flatMap((entry) => happenedOf(key, entry) ?? []),
    before: oldest > 0 ? oldest : null,
    end,
  };
}

export function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
