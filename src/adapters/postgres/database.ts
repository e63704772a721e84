/** The database of `PAWL_DATABASE_URL`, and the projects in it. */
import { randomUUID } from "node:crypto";
import { PawlError } from "../../core/error.ts";
import type {
  Database,
  DatabaseFault,
  DatabaseInspection,
  DatabaseProject,
} from "../../core/ports/database.ts";
import type { Lease } from "../../core/ports/leases.ts";
import type { Watch } from "../../core/ports/watch.ts";
import { parseAddress } from "./address.ts";
import { type Connections, type Limits, type Listener, openConnections } from "./connections.ts";
import { openEventLog } from "./event-log.ts";
import { LASTING, openLeaseManager } from "./lease-manager.ts";
import { checkShape, migrate } from "./migrate.ts";
import { openMirror } from "./mirror.ts";
import { accessOf } from "./roles.ts";
import { openStore } from "./store.ts";
import { CHANNEL, type StoredProject } from "./stored-project.ts";
import { openWorkers } from "./workers.ts";

export interface DatabaseOptions {
  /** The value of the environment variable. */
  readonly url: string | undefined;
  readonly packaged?: (path: string) => Promise<string | null>;
  readonly limits?: Partial<Limits>;
  /** Milliseconds for which a lease is taken or renewed; default 15 s. */
  readonly lasting?: number;
}

/** Throws `database-unconfigured`. Connects at the first query. */
export function openDatabase(options: DatabaseOptions): Database {
  const connections = openConnections(parseAddress(options.url), options.limits);
  const { shown } = connections.address;
  return {
    shown,
    migrate: () => migrate(connections),
    async access(project) {
      await checkShape(connections);
      return accessOf(connections, project ?? null);
    },
    async faults() {
      await checkShape(connections);
      return faultsOf(connections);
    },
    async addProject(name) {
      await checkShape(connections);
      const processId = randomUUID();
      const added = await connections.query(
        "insert into pawl.project (name, generation) values ($1, $2) on conflict do nothing returning id",
        [name, processId],
      );
      if (added.length > 0) return true;
      // If the reply was lost and the insert repeated, the existing row is this call's own.
      const [there] = await connections.query<{ generation: string }>(
        "select generation from pawl.project where name = $1",
        [name],
      );
      return there?.generation === processId;
    },
    async project(name) {
      await checkShape(connections);
      const [row] = await connections.query<{ id: string }>("select id from pawl.project where name = $1", [
        name,
      ]);
      if (row) return projectOf({ connections, project: row.id }, options);
      const { login, role } = await accessOf(connections, null);
      if (role === "none")
        throw new PawlError(
          "database-forbidden",
          `The login ${login} has no role in the project ${name} of the database ${shown}. Nothing was changed.`,
          `Have an administrator grant it one, such as \`grant "pawl_person_${name}" to ${login}\`.`,
        );
      throw new PawlError(
        "database-project-missing",
        `The database ${shown} has no project ${name}.`,
        "Run `pawl database init` in the project, or set PAWL_DATABASE_URL to the database that has it.",
      );
    },
    close: () => connections.close(),
  };
}

function projectOf(project: StoredProject, { lasting, packaged }: DatabaseOptions): DatabaseProject {
  const watch = openWatch(project);
  const leaseManager = openLeaseManager(project, lasting);
  const mirror = openMirror(project.connections, project.project);
  const on = { ...project, mirror, ...(packaged ? { packaged } : {}) };
  return {
    store: openStore(on),
    eventLog: openEventLog(project, watch),
    watch,
    leaseManager,
    leases: { list: () => leasesOf(project) },
    workers: openWorkers(project, lasting ?? LASTING),
    fenced: (lease) => openStore({ ...on, fence: () => leaseManager.fence(lease) }),
    inspect: () => inspect(project),
  };
}

/** Leases that are alive by the database's clock get this machine's present time as heartbeat. */
async function leasesOf({ connections, project }: StoredProject): Promise<readonly Lease[]> {
  const rows = await connections.query<{ what: string; alive: boolean }>(
    "select what, until > clock_timestamp() as alive from pawl.lease where project = $1 and holder is not null order by what",
    [project],
  );
  const now = new Date().toISOString();
  return rows.map(({ alive, what }) => ({ what, beat: alive ? now : null }));
}

interface Settings {
  readonly server_encoding: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly version: number;
}

const OLDEST = 140_000;

async function faultsOf({ query }: Connections): Promise<readonly DatabaseFault[]> {
  const [settings] = await query<Settings>(`
    select current_setting('server_encoding') as server_encoding, current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes,
      current_setting('server_version_num')::int as version`);
  if (settings === undefined) return [];
  const { fsync, full_page_writes, server_encoding, version } = settings;
  const isOld = version < OLDEST && {
    message: `PostgreSQL has version ${version}: Pawl needs 14 or later.`,
    fix: "Upgrade PostgreSQL.",
  };
  const isNarrow = server_encoding !== "UTF8" && {
    message: `The database's encoding is ${server_encoding}: it cannot hold every text.`,
    fix: "Make another database with `create database NAME encoding 'UTF8' template template0`.",
  };
  const isUnsafe = (fsync === "off" || full_page_writes === "off") && {
    message: `fsync is ${fsync} and full_page_writes is ${full_page_writes}: a power cut can lose or damage commits.`,
    fix: "Set both to on in the server's configuration.",
  };
  return [isOld, isNarrow, isUnsafe].filter((fault) => fault !== false);
}

interface Counts {
  readonly revision: string;
  readonly events: string;
  readonly documents: string;
  readonly time: Date | null;
  readonly who: string | null;
  readonly commits: string;
  readonly lines: string;
  readonly breaks: string;
  readonly ahead: string;
}

/** One statement, so that the numbers belong to one moment. */
const COUNTS = `
  select p.revision, p.events, c.at as time, c.who,
    (select count(*) from pawl.document d
      where d.project = p.id and d.text is not null) as documents,
    (select count(*) from pawl.commit o where o.project = p.id) as commits,
    (select count(*) from pawl.event e where e.project = p.id) as lines,
    (select count(*) from (
      select o.previous, lag(o.id) over (order by o.revision) as before from pawl.commit o where o.project = p.id
    ) chain where chain.previous is distinct from chain.before) as breaks,
    (select count(*) from pawl.document d where d.project = p.id and d.revision > p.revision) as ahead
  from pawl.project p left join pawl.commit c on c.project = p.id and c.revision = p.revision
  where p.id = $1`;

async function inspect({ connections, project }: StoredProject): Promise<DatabaseInspection> {
  const [[counts], leases] = await Promise.all([
    connections.query<Counts>(COUNTS, [project]),
    connections.query<{ what: string; holder: string; until: Date }>(
      "select what, holder, until from pawl.lease where project = $1 and holder is not null order by what",
      [project],
    ),
  ]);
  if (counts === undefined) throw new PawlError("internal", "The project is gone.", "Run the command again.");
  return {
    revision: Number(counts.revision),
    documents: Number(counts.documents),
    events: Number(counts.events),
    last: counts.time === null ? null : { time: counts.time.toISOString(), who: counts.who ?? "" },
    leases: leases.map(({ holder, until, what }) => ({ what, holder, until: until.toISOString() })),
    faults: historyFaults(counts),
  };
}

/** Checks that each commit names its predecessor, and that each number matches its rows. */
function historyFaults(counts: Counts): readonly DatabaseFault[] {
  const isWhole =
    counts.commits === counts.revision &&
    counts.lines === counts.events &&
    counts.breaks === "0" &&
    counts.ahead === "0";
  if (isWhole) return [];
  return [
    {
      message: `The history does not add up: ${counts.revision} revisions and ${counts.commits} commits, of which ${counts.breaks} do not name the one before; ${counts.events} events and ${counts.lines} lines; ${counts.ahead} documents newer than the last commit.`,
      fix: "Something other than Pawl changed the tables, or a backup was restored in part. Restore all of it, or import the project from files with `pawl database import --replace`.",
    },
  ];
}

const LOOK_AGAIN = 5_000;
const POLL_WITHOUT_NOTICES = 1_000;

/**
 * By the server's notifications, and always by a query every few seconds: every second once a commit was found of
 * which no notification came, as behind a pooler in transaction mode.
 */
function openWatch({ connections, project }: StoredProject): Watch {
  return {
    onChange(onEachChange) {
      let listener: Listener | null = null;
      let isClosed = false;
      let isListening = false;
      let lastRevision: string | undefined;
      let timer: NodeJS.Timeout | undefined;
      let isNotified = false;
      const onNotice = () => {
        isNotified = true;
        onEachChange();
      };
      const listen = async () => {
        isListening = true;
        const opened = await connections.listener(() => {
          isListening = false;
          listener = null;
        });
        if (isClosed) return opened?.close();
        listener = opened;
        isListening = opened !== null;
        await opened?.listen(CHANNEL, (payload) => payload === project && onNotice());
        // For commits before it listened.
        onEachChange();
      };
      const poll = async () => {
        if (!isListening) listen().catch(() => {});
        const [row] = await connections.query<{ revision: string }>(
          "select revision from pawl.project where id = $1",
          [project],
        );
        const isNews = lastRevision !== undefined && row?.revision !== lastRevision;
        if (isNews) {
          every(isNotified ? LOOK_AGAIN : POLL_WITHOUT_NOTICES);
          onEachChange();
        }
        isNotified = false;
        lastRevision = row?.revision;
      };
      const quietly = () => void poll().catch(() => {});
      const every = (milliseconds: number) => {
        clearInterval(timer);
        timer = setInterval(quietly, milliseconds).unref();
      };
      every(LOOK_AGAIN);
      quietly();
      return {
        close() {
          isClosed = true;
          clearInterval(timer);
          listener?.close();
        },
      };
    },
  };
}
