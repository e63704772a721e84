/**
 * A project's documents in memory, by revision: a refresh queries the database only for newer ones. If the
 * history is another one, as after a restored backup, everything is read again.
 */
import { EVENTS } from "../../core/event.ts";
import type { Entry } from "../../core/ports/store.ts";
import { entriesIn } from "../memory/memory-store.ts";
import type { Connections } from "./connections.ts";
import { removedProjectError } from "./failures.ts";

/** The state of the last refresh. */
export interface Base {
  readonly revision: number;
  /** The id of the commit that made it; null: there was none. */
  readonly head: string | null;
}

export interface Mirror {
  /** Afterwards, the mirror has everything that was committed before the call. */
  refresh(): Promise<void>;
  readonly base: Base;
  text(path: string): string | null;
  list(folder: string): readonly Entry[];
}

const NOTHING: Base = { revision: 0, head: null };

interface Row {
  readonly revision: string;
  readonly head: string | null;
  readonly events: string;
  readonly known: boolean;
  readonly path: string | null;
  readonly text: string | null;
}

/** One statement, so that the revision and the documents belong together. */
const NEWER = `
  select p.revision, p.head, p.events, d.path, d.text,
    $2::bigint = 0 or exists (
      select from pawl.commit c where c.project = p.id and c.revision = $2 and c.id = $3
    ) as known
  from pawl.project p
  left join pawl.document d on d.project = p.id and d.revision > $2
  where p.id = $1`;

export function openMirror(connections: Connections, project: string): Mirror {
  let texts = new Map<string, string>();
  let base = NOTHING;
  let hasEvents = false;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  const read = async (since: Base): Promise<void> => {
    const rows = await connections.query<Row>(NEWER, [project, since.revision, since.head]);
    const [first] = rows;
    if (first === undefined) throw removedProjectError(connections.address);
    if (!first.known) return read(NOTHING);
    if (since === NOTHING) texts = new Map();
    for (const { path, text } of rows) {
      if (path === null) continue;
      if (text === null) texts.delete(path);
      else texts.set(path, text);
    }
    hasEvents = first.events !== "0";
    base = { revision: Number(first.revision), head: first.head };
  };

  return {
    refresh() {
      // A running query may have begun before the change that the caller expects: one more follows it, for
      // all waiting callers.
      next ??= running.then(() => {
        next = null;
        const reading = read(base);
        running = reading.catch(() => {});
        return reading;
      });
      return next;
    },
    get base() {
      return base;
    },
    text: (path) => texts.get(path) ?? null,
    list(folder) {
      const paths = hasEvents ? [...texts.keys(), EVENTS] : [...texts.keys()];
      return entriesIn(paths, folder);
    },
  };
}
