/** The workers of a project, by the database's clock. */
import { randomUUID } from "node:crypto";
import { attempt } from "../../core/attempt.ts";
import type { RunAdvanced } from "../../core/event.ts";
import type { AtWork, Registration, WorkerState, Workers } from "../../core/ports/workers.ts";
import { MIGRATIONS } from "./migrations.ts";
import { CHANNEL, type StoredProject } from "./stored-project.ts";

interface Row {
  readonly name: string;
  readonly host: string;
  readonly version: string;
  readonly labels: readonly string[];
  readonly capacity: number;
  readonly at_work: number;
  readonly state: WorkerState;
  readonly beat: Date;
}

const LIST = `
  select name, host, version, labels, capacity, at_work, beat,
    case when state <> 'drained' and beat + lasting < clock_timestamp() then 'gone' else state end as state
  from pawl.worker where project = $1 order by name`;

const AT_WORK = `
  select r.what, r.repository, r.agent, r.usd, l.until > clock_timestamp() as alive
  from pawl.reservation r
  join pawl.lease l on l.project = r.project and l.what = r.what and l.epoch = r.epoch and l.holder is not null
  where r.project = $1 order by r.what`;

const SPENT = `
  select coalesce(sum(usd), 0) as usd from pawl.spend
  where project = $1 and day = (clock_timestamp() at time zone 'utc')::date`;

/** Newest first, so that of several events at the same time the earliest names the login. */
const VERDICTS = `
  select text from pawl.event where project = $1 and strpos(text, '"strength"') > 0 and strpos(text, $2) > 0
  order by place desc`;

type Advanced = RunAdvanced & { readonly time: string };

const SHAPE = Math.max(...MIGRATIONS.map(({ version }) => version));

export function openWorkers({ connections, project }: StoredProject, lasting: number): Workers {
  const { query } = connections;
  return {
    async list() {
      const rows = await query<Row>(LIST, [project]);
      return rows.map(({ at_work, beat, ...row }) => ({ ...row, atWork: at_work, seen: beat.toISOString() }));
    },
    async register({ capacity, host, labels, name, version }, at) {
      const id = randomUUID();
      const identity = [project, name, id];
      const [row] = await query<{ state: string | null }>(
        "select pawl.register($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as state",
        [...identity, host, version, labels, capacity, `${lasting} milliseconds`, at?.place, at?.isAlone],
      );
      return row?.state == null ? null : registrationOf(query, identity, lasting);
    },
    async drain(name) {
      const [row] = await query<{ state: WorkerState | null }>("select pawl.drain($1, $2) as state", [
        project,
        name,
      ]);
      connections.notify(CHANNEL, project);
      return row?.state ?? null;
    },
    async atWork() {
      const rows = await query<Omit<AtWork, "usd"> & { usd: string | null }>(AT_WORK, [project]);
      return rows.map(({ usd, ...row }) => ({ ...row, usd: usd === null ? null : Number(usd) }));
    },
    async spentToday() {
      const [row] = await query<{ usd: string }>(SPENT, [project]);
      return Number(row?.usd ?? 0);
    },
    async logins(run) {
      const rows = await query<{ text: string }>(VERDICTS, [project, JSON.stringify(run)]);
      const events = rows.map(({ text }) => attempt(() => JSON.parse(text) as Advanced, null));
      const ofRun = events.filter((event) => event?.type === "run:advanced" && event.run === run);
      return new Map(ofRun.flatMap((event) => (event?.login ? [[event.time, event.login] as const] : [])));
    },
  };
}

function registrationOf(
  query: StoredProject["connections"]["query"],
  identity: readonly string[],
  lasting: number,
): Registration {
  return {
    lasting,
    async beat({ atWork, drains }) {
      const [row] = await query<{ is_in: WorkerState | null; min_client: number }>(
        "select is_in, min_client from pawl.beat($1, $2, $3, $4, $5)",
        [...identity, atWork, drains],
      );
      if (row?.is_in == null) return "replaced";
      if (row.min_client > SHAPE) return "outgrown";
      return row.is_in === "draining" ? "drain" : "go-on";
    },
    async leave() {
      await query("select pawl.leave($1, $2, $3)", identity);
    },
  };
}
