import type { Requirement } from "./requirements.ts";

const WHERE = "docs/several-machines.md, What is where";
const PAGE = "docs/several-machines.md, What holds";

const PUSHED = "docs/several-machines.md, The tasks in the database";
const TEAM = "team, What lives where";

const SEVERAL = "docs/several-machines.md";
const REMOTE = "docs/several-machines.md, The git remote";

/** A project's state in a database. */
export const DATABASE = {
  "database.same-ports": {
    says: "A store, an event log and leases keep the same promises on files and on PostgreSQL.",
    source: PAGE,
  },
  "database.once": {
    says: "A commit to a database happens once, whatever breaks between the client and the server, and none that was acknowledged is lost.",
    source: PAGE,
  },
  "database.fence": {
    says: "The database refuses every commit of a holder from whom the lease was taken.",
    source: PAGE,
  },
  "database.history": {
    says: "A restored backup is noticed, a check of the database sees each gap in its history, and work that it has forgotten is looked at before it is done.",
    source: PAGE,
  },
  "database.newer": {
    says: "What was committed elsewhere is heard of, also after a connection was cut, and only what is newer is read.",
    source: PAGE,
  },
  "database.lost-connections": {
    says: "A connection to the database that breaks, or over which nothing comes any more, ends no worker, and keeps nobody waiting for long for what it held.",
    source: PAGE,
  },
  "database.pooler": {
    says: "Through a pooler with its defaults, in session or transaction mode, everything works; in statement mode the refusal says what to do.",
    source: PAGE,
  },
  "database.shape": {
    says: "A database is migrated step by step, each whole or not at all, once however many migrate, and a program that it has outgrown stops.",
    source: "docs/several-machines.md, Upgrading",
  },
  "database.tables": {
    says: "A worker takes nothing more once a newer version has moved a task on by rules that it does not know.",
    source: "docs/several-machines.md, Workers",
  },
  "database.rotating": {
    says: "The database may be behind a socket, and its password in a file that is read for each connection.",
    source: "several machines, The database as teams have it",
  },
  "database.address": {
    says: "The database's address comes from the environment alone, its password is never shown, no agent and no command gets it, and off this machine the certificate is verified.",
    source: "docs/several-machines.md, The server",
  },
  "database.roles": {
    says: "A viewer's login writes nothing, a worker's writes no verdict and no settings wherever they are kept, a login without a role sees nothing, and none of them touches a table past Pawl's functions.",
    source: "docs/several-machines.md, Roles",
  },
  "database.task-keys": {
    says: "Of a task in a database, a worker's login writes status, times, session and notes, and no other key; it removes and cancels none, and brings none back.",
    source: "docs/several-machines.md, The tasks in the database",
  },
  "database.verdict-login": {
    says: "A verdict in a database carries the login that brought it, which nobody can forge; whoever decides too late is told who has decided.",
    source: "docs/several-machines.md, The tasks in the database",
  },
  "database.project-roles": {
    says: "A login may have a role in one project of a database alone: it sees and changes nothing of the others.",
    source: "docs/internals/several-machines.md, Roles",
  },
  "database.restore": {
    says: "A database that PostgreSQL's own programs backed up and restored works on from there, with the logins of before: what is on the git remote is not merged twice.",
    source: "docs/internals/several-machines.md, Backup and restore",
  },
  "database.caps": {
    says: "Caps over all machines are reserved with the lease and never passed, however many take at the same moment; what an agent spent is settled in the commit that records its end, and what a dead machine may have spent counts as spent.",
    source: "docs/decisions/database.md",
  },
  "database.copy": {
    says: "The commands `pawl database import` and `export` copy a project's state into a database and back, byte for byte, overwrite nothing without being told, and bring files only to where Pawl keeps state.",
    source: "docs/several-machines.md, Use it",
  },
  "machines.shared": {
    says: "Several machines share one backlog in a database: each task is done once, is merged on the remote, is taken over from a machine that died, and is answered for from any.",
    source: "docs/several-machines.md, Use it",
  },
  "machines.places": {
    says: "Where Bloom's work is in a database, everything else stays in the checkout's files; a commit goes to one of the two, while what was read of the other holds; what is missing is said.",
    source: WHERE,
  },
  "machines.log": {
    says: "The events of the files and of the database are read as one log, by time, also back and from where a reader stopped.",
    source: WHERE,
  },
  "machines.fence": {
    says: "Whoever lost a task, or a target, to another machine changes nothing on the git remote any more, in whatever order things happen.",
    source: REMOTE,
  },
  "machines.lost": {
    says: "A worker whose task another machine has taken over leaves it alone, and works on the others.",
    source: REMOTE,
  },
  "machines.cut": {
    says: "A push of Pawl's that is cut short, at either end, moves everything or nothing, and is done again without harm.",
    source: REMOTE,
  },
  "machines.silent-remote": {
    says: "A call to a git remote that never answers ends at its limit, or when its work is to stop, with all that git started for it.",
    source: REMOTE,
  },
  "machines.fetches-at-once": {
    says: "Two fetches into one repository at the same moment are no failure of a task: the one that came too late is made again.",
    source: REMOTE,
  },
  "machines.remote": {
    says: "A git remote that cannot keep leases apart is refused with what to do, and one that only takes branches, or refuses to have history rewritten, serves.",
    source: REMOTE,
  },
  "machines.saved": {
    says: "Nothing of a task that other machines may take over is recorded as done before the git remote has the work.",
    source: REMOTE,
  },
  "machines.taken-over": {
    says: "A machine that takes a task over has what was committed and what was not, loses nothing of its own, and begins a session that is told what was done.",
    source: REMOTE,
  },
  "machines.merge": {
    says: "With several machines, a merge goes to the git remote first, with the leases on the task and on the target, and the local branch follows.",
    source: REMOTE,
  },
  "machines.caps": {
    says: "A cap over all machines lets tasks wait without asking for them again and again; the loop says which one, and caps that nobody would hold are refused.",
    source: `${SEVERAL}, Caps`,
  },
  "machines.lacks": {
    says: "A worker whose machine lacks the agent of every task waits and says so; others, and status, know which agents it lacks.",
    source: `${SEVERAL}, Labels`,
  },
  "machines.drained": {
    says: "A worker that has drained is told apart from one that is gone, and `pawl worker drain --wait` returns when it has no more work.",
    source: `${SEVERAL}, Workers`,
  },
  "machines.workers": {
    says: "A worker of `pawl worker` works among others under a name of its own until it is told to end: it then takes nothing more and brings what it has to its end, or hands it back.",
    source: `${SEVERAL}, Workers`,
  },
  "machines.labels": {
    says: "A worker takes only what its labels say, and status names each task that no worker serves, and each cap for which a task waits.",
    source: `${SEVERAL}, Labels`,
  },
  "machines.waits-for-database": {
    says: "A worker that is started while the database is away says what it waits for, and begins when it is there; what would fail again ends it at once, and other commands do not wait.",
    source: `${SEVERAL}, Workers`,
  },
  "machines.comes-back": {
    says: "A worker that is started again where it died has its name and its tasks at once; others leave what a dead worker left for a minute to one that is alive in the same checkout, serves it and has time, but not twice in a row, and no longer than before where the whole machine died.",
    source: "team, Workers (a host that survived is preferred)",
  },
  "machines.ends-first": {
    says: "A worker that is started again where it died frees its tasks only after all that its agents left is ended; where that cannot be done, their leases run out by themselves.",
    source: "team, Proof (exactly one live run per task and epoch)",
  },
  "machines.waits": {
    says: "What another machine holds is left alone until its lease runs out, and then taken at once.",
    source: `${SEVERAL}, A worker that loses touch`,
  },
  "machines.loses-touch": {
    says: "A worker that cannot renew a lease, or whose machine slept, ends the task's agent before another machine can take the task.",
    source: `${SEVERAL}, A worker that loses touch`,
  },
  "team.containers": {
    says: "A recipe for containers (`examples/team`) makes a database and three workers; its script makes the checkout, and drains by SIGTERM.",
    source: "team, the end (docker compose up)",
  },
  "team.demonstrated": {
    says: "A demo of three machines plays it for real: one dies in the middle of a step, and nothing is lost and nothing done twice.",
    source: "team, the end (npm run demo -- --team)",
  },
  "team.walled": {
    says: "What an agent committed behind the wall is on the remote before anything is recorded that builds on it; a machine that lacks what git needs blocks no task.",
    source: TEAM,
  },
  "tasks.edit": {
    says: "A person edits a task wherever it is kept, key by key or in an editor: other lines stay, what the work wrote stays, the difference is shown, and each key that decides how the work is judged is named.",
    source: PUSHED,
  },
  "tasks.import-own": {
    says: "A tasks.yaml is brought in one way: its dry run shows each stretch and names each dangerous key, nothing is removed, and what the work wrote stays.",
    source: PUSHED,
  },
  "tasks.no-file": {
    says: "A tasks file in a checkout whose tasks are in a database says that it does not count.",
    source: PUSHED,
  },
} satisfies Record<string, Requirement>;
