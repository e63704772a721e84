/** A project's event log in the database. A position is the number of lines before it. */
import type { EventLog, LogEntry } from "../../core/ports/event-log.ts";
import type { Watch } from "../../core/ports/watch.ts";
import { hasAny } from "../events/event-line.ts";
import type { StoredProject } from "./stored-project.ts";

interface Row {
  readonly place: string;
  readonly text: string;
  /** Bytes of the lines found, up to and including this one. */
  readonly total?: string;
}

/** Lines that one query reads. */
const MAX_LINES = 5_000;

const SELECT_PART = `
  select place, text, sum(octet_length(text)) over (order by place) as total
  from (
    select e.place, e.text from pawl.event e
    where e.project = $1 and e.place > $2
    order by e.place limit ${MAX_LINES}
  ) found`;

export function openEventLog({ connections, project }: StoredProject, watch: Watch): EventLog {
  const readState = async () => {
    const [row] = await connections.query<{ generation: string; events: string }>(
      "select generation, events from pawl.project where id = $1 and events > 0",
      [project],
    );
    return row ? { generation: row.generation, end: Number(row.events) } : null;
  };
  return {
    position: readState,
    async read({ containing, from, generation, most }) {
      if ((await readState())?.generation !== generation) return null;
      const rows = await connections.query<Row>(SELECT_PART, [project, from]);
      const lines = rows.filter(({ total }, at) => at === 0 || Number(total) <= most);
      return {
        entries: lines.filter(({ text }) => hasAny(text, containing)).map(entryOf),
        next: lines.length === 0 ? from : Number(lines.at(-1)?.place),
        isAll: lines.length === rows.length && rows.length < MAX_LINES,
      };
    },
    async readBack({ before, limit }) {
      const rows = await connections.query<Row>(
        "select place, text from pawl.event where project = $1 and place <= $2 order by place desc limit $3",
        [project, before, limit],
      );
      return rows.map(entryOf);
    },
    async origin() {
      const query = "select generation from pawl.project where id = $1";
      const [row] = await connections.query<{ generation: string }>(query, [project]);
      return row?.generation ?? null;
    },
    watch: (onChange) => watch.onChange(onChange),
  };
}

function entryOf({ place, text }: Row): LogEntry {
  return { text: text.replace(/\n$/, ""), start: Number(place) - 1, end: Number(place) };
}
