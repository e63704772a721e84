import type { Requirement } from "./requirements.ts";

const SUITE = "test/store-conformance.test.ts";
const POSTGRES = "src/adapters/postgres/postgres.slow.test.ts";
const CRASH = "src/adapters/postgres/crash.slow.test.ts";
const ROLES = "src/adapters/postgres/roles.slow.test.ts";
const CAPS = "src/adapters/postgres/caps.slow.test.ts";
const CLI = "test/e2e/database.slow.test.ts";
const MACHINES = "test/e2e/machines.slow.test.ts";
const ROUTED = "src/adapters/routed/store.test.ts";
const LOGS = "src/adapters/routed/event-log.test.ts";
const WHERE = "docs/several-machines.md, What is where";
const PAGE = "docs/several-machines.md, What holds";

const PUSH = "test/e2e/push.test.ts";
const PUSHED = "docs/several-machines.md, The tasks in the database";
const TEAM = "team, What lives where";

const FENCE = "src/adapters/git/fence.slow.test.ts";
const SHARED = "src/workflows/bloom/scheduler/shared.test.ts";
const WORKERS = "test/e2e/workers.slow.test.ts";
const BEAT = "src/workflows/bloom/scheduler/heartbeat.test.ts";
const LABELS = "src/workflows/bloom/labels.test.ts";
const UNTAKEN = "src/workflows/bloom/untaken.test.ts";
const HERE = "src/adapters/files/workers-here.test.ts";
const DEAD = "src/adapters/agents/dead-loops.test.ts";
const HELD = "src/adapters/postgres/claims.test.ts";
const CONNECTIONS = "src/adapters/postgres/connections.slow.test.ts";
const GIT = "src/adapters/git/git.test.ts";
const LOOP_CAPS = "src/workflows/bloom/scheduler/caps.test.ts";
const SEVERAL = "docs/several-machines.md";
const REMOTE = "docs/several-machines.md, The git remote";

/** A project's state in a database. */
export const DATABASE: Readonly<Record<string, Requirement>> = {
  "database.same-ports": {
    says: "A store, an event log and leases keep the same promises on files and on PostgreSQL.",
    source: PAGE,
    tests: [
      `${SUITE}: writes, appends, moves and removes in one commit, each on the result of those before`,
      `${SUITE}: writes nothing once something that was read has changed, appeared or gone`,
      `${SUITE}: commits although others changed something else, or wrote the same again`,
      `${SUITE}: counts right when several count at once`,
      `${SUITE}: lets one at a time hold a run, and says who holds it`,
      `${SUITE}: has the events of each commit, and reads on from where a reader stopped`,
      `${SUITE}: has one holder until it is released`,
    ],
  },
  "database.once": {
    says: "A commit to a database happens once, whatever breaks between the client and the server, and none that was acknowledged is lost.",
    source: PAGE,
    tests: [
      `${SUITE}: has each commit happen once, also one that nobody could be told of`,
      `${POSTGRES}: is known by its id: a second one with it changes nothing and says where the first was`,
      `${POSTGRES}: is sent again where the request was lost before the database had it`,
      `${CRASH}: where processes are killed`,
      `${CRASH}: where connections break, before the request arrives or after the commit`,
      `${CRASH}: where the server is ended at once and started again`,
    ],
  },
  "database.fence": {
    says: "The database refuses every commit of a holder from whom the lease was taken.",
    source: PAGE,
    tests: [
      `${POSTGRES}: refuses every commit of a holder from whom it was taken, and lets the new holder's through`,
      `${POSTGRES}: has a higher epoch with each take, also in a database that knows nothing of those before`,
      `${POSTGRES}: is renewed for as long as its holder lives, and lost with it`,
    ],
  },
  "database.history": {
    says: "A restored backup is noticed, a check of the database sees each gap in its history, and work that it has forgotten is looked at before it is done.",
    source: PAGE,
    tests: [
      `${MACHINES}: look at the work that a restored backup has forgotten before they do it, and nothing is done twice: %s`,
      `${POSTGRES}: decides on what is there after a backup was restored under it`,
      `${POSTGRES}: is part of a history of which a check sees each gap`,
    ],
  },
  "database.newer": {
    says: "What was committed elsewhere is heard of, also after a connection was cut, and only what is newer is read.",
    source: PAGE,
    tests: [
      `${POSTGRES}: reads from the database only what is newer than what is known`,
      `${POSTGRES}: are heard again after the connection that listened was cut`,
      `${SUITE}: is heard to have grown`,
    ],
  },
  "database.lost-connections": {
    says: "A connection to the database that breaks, or over which nothing comes any more, ends no worker, and keeps nobody waiting for long for what it held.",
    source: PAGE,
    tests: [
      `${CONNECTIONS}: and is lost ends nothing but itself: the work goes on, and the lock can be had`,
      `${CONNECTIONS}: and does not know whether it gave it back is used by nobody else`,
      `${CONNECTIONS}: and stands still loses it after the time for which another one may wait`,
      `${CONNECTIONS}: is given up by the server within half a minute, whatever it waits for`,
      `${CONNECTIONS}: is not taken for one that listens`,
    ],
  },
  "database.shape": {
    says: "A database is migrated step by step, each whole or not at all, once however many migrate, and a program that it has outgrown stops.",
    source: "docs/several-machines.md, Upgrading",
    tests: [
      `${POSTGRES}: is made once, however many make it at once`,
      `${POSTGRES}: grows by steps, each whole or not at all, and refuses a program that it has outgrown`,
    ],
  },
  "database.tables": {
    says: "A worker takes nothing more once a newer version has moved a task on by rules that it does not know.",
    source: "docs/several-machines.md, Workers",
    tests: [`${SHARED}: takes nothing more once the other has moved a task on, and says so once`],
  },
  "database.address": {
    says: "The database's address comes from the environment alone, its password is never shown, no agent and no command gets it, and off this machine the certificate is verified.",
    source: "docs/several-machines.md, The server",
    tests: [
      `${CLI}: is found by an address in the environment alone, whose password is never shown`,
      `${POSTGRES}: says that the database cannot be reached, and not its address's password`,
      "src/adapters/postgres/address.test.ts: of another machine is encrypted, and its certificate verified",
      "src/adapters/postgres/address.test.ts: of another machine by its IP address is encrypted and verified, too, and names no server to TLS",
      "src/adapters/postgres/address.test.ts: %s is refused, and its password never shown",
      "src/config/config.test.ts: agents and commands get no address of a database, whatever they are to get",
      "test/architecture.test.ts: loads no client of a database at a start, and only one adapter ever does",
    ],
  },
  "database.roles": {
    says: "A viewer's login writes nothing, a worker's writes no verdict and no settings wherever they are kept, a login without a role sees nothing, and none of them touches a table past Pawl's functions.",
    source: "docs/several-machines.md, Roles",
    tests: [
      `${ROLES}: reads everything, and writes nothing: no document, no event, no lease, no worker`,
      `${ROLES}: works: takes leases, registers, and commits runs, records and events of its own`,
      `${ROLES}: writes no verdict, wherever one is kept`,
      `${ROLES}: carries on what a person decided, to the letter`,
      `${ROLES}: touches no table past Pawl's functions, whatever its role`,
      `${ROLES}: without a role sees nothing, also where it was granted a table by mistake`,
      `${ROLES}: cannot put its own functions in the place of Pawl's`,
      `${ROLES}: that may not make roles sets a database up for itself, and is told what is missing`,
    ],
  },
  "database.caps": {
    says: "Caps over all machines are reserved with the lease and never passed, however many take at the same moment; what an agent spent is settled in the commit that records its end, and what a dead machine may have spent counts as spent.",
    source: "docs/decisions/database.md",
    tests: [
      `${CAPS}: is reached and never passed by machines that take at the same moment: %s`,
      `${CAPS}: keeps a worker that drains from taking anything, whatever it believes itself`,
      `${CAPS}: counts other repositories and agents apart, and no dead machine`,
      `${CAPS}: holds as much for a task as it may spend, and what it spent once it is known`,
      `${CAPS}: counts as spent what a dead machine may have spent, however it is taken over`,
    ],
  },
  "database.copy": {
    says: "The commands `pawl database import` and `export` copy a project's state into a database and back, byte for byte, overwrite nothing without being told, and bring files only to where Pawl keeps state.",
    source: "docs/several-machines.md, Use it",
    tests: [
      `${CLI}: is set up once, imported whole, checked, and exported byte for byte`,
      `${CLI}: is not imported with a tasks file that has problems: they are named as elsewhere, and nothing is written`,
      `${CLI}: is overwritten only where a person says so`,
      `${CLI}: brings no file to where Pawl keeps no state, whoever wrote it there`,
    ],
  },
  "machines.shared": {
    says: "Several machines share one backlog in a database: each task is done once, is merged on the remote, is taken over from a machine that died, and is answered for from any.",
    source: "docs/several-machines.md, Use it",
    tests: [
      `${MACHINES}: share a backlog: each task is done once, all is merged on the remote, both say the same`,
      `${MACHINES}: take over from one that is killed, once its lease has run out`,
      `${MACHINES}: have their gates and questions answered from either`,
      `${MACHINES}: go on where the server ended in the middle of everything and came back, and nothing is done twice`,
      `${MACHINES}: leave one that stood still and comes back with nothing to say: what it had begun is another's`,
      `${SHARED}: gets no commit any more: each names the lease of its own task`,
    ],
  },
  "machines.places": {
    says: "Where Bloom's work is in a database, everything else stays in the checkout's files; a commit goes to one of the two, while what was read of the other holds; what is missing is said.",
    source: WHERE,
    tests: [
      `${ROUTED}: read each path where it belongs, and ask for what is shared only when it is needed`,
      `${ROUTED}: commit to one, with the events, and only while what was read of the other holds`,
      `${ROUTED}: commit to both never at once: what can be done without follows, anything else is refused`,
      `${ROUTED}: let the files be worked with while what is shared cannot be reached`,
      "src/app/shared-places.test.ts: has %s",
      "src/app/shared-places.test.ts: has not %s",
      `${MACHINES}: says what is missing: the address, the project there, what it holds`,
      `${MACHINES}: keeps Alfred's and other work in the files, which need no database`,
    ],
  },
  "machines.log": {
    says: "The events of the files and of the database are read as one log, by time, also back and from where a reader stopped.",
    source: WHERE,
    tests: [
      `${LOGS}: have the lines of both by their time, and what both begin with once, forwards and back`,
      `${LOGS}: go on where a reader stopped, whichever of them grew, also by what is earlier than what was read`,
      `${LOGS}: are read as events, and followed`,
    ],
  },
  "machines.fence": {
    says: "Whoever lost a task, or a target, to another machine changes nothing on the git remote any more, in whatever order things happen.",
    source: REMOTE,
    tests: [
      `${FENCE}: changes nothing on the remote when it %s`,
      `${FENCE}: changes nothing either where it never pushed before, and where it has the epoch of another's database`,
      `${FENCE}: is not made by one from whom the target was taken, and its own target stays where it is`,
      `${FENCE}: is another one over HTTP, where all of this holds as well`,
    ],
  },
  "machines.lost": {
    says: "A worker whose task another machine has taken over leaves it alone, and works on the others.",
    source: REMOTE,
    tests: [`${SHARED}: is left alone, and is no failure of the loop`],
  },
  "machines.cut": {
    says: "A push of Pawl's that is cut short, at either end, moves everything or nothing, and is done again without harm.",
    source: REMOTE,
    tests: [`${FENCE}: by the end of %s moves everything or nothing, and is done again without harm`],
  },
  "machines.silent-remote": {
    says: "A call to a git remote that never answers ends at its limit, or when its work is to stop, with all that git started for it.",
    source: REMOTE,
    tests: [
      `${GIT}: %s ends at its limit, with all that git started for it`,
      `${GIT}: ends when it is to stop`,
    ],
  },
  "machines.fetches-at-once": {
    says: "Two fetches into one repository at the same moment are no failure of a task: the one that came too late is made again.",
    source: REMOTE,
    tests: [`${GIT}: A fetch that another one overtook is made again`],
  },
  "machines.remote": {
    says: "A git remote that cannot keep leases apart is refused with what to do, and one that only takes branches, or refuses to have history rewritten, serves.",
    source: REMOTE,
    tests: [
      `${FENCE}: is refused where it takes no refs of Pawl's own; branches do instead`,
      `${FENCE}: is refused where it takes no atomic pushes, unless nothing is to keep them apart`,
      `${FENCE}: is refused where there is none, unless nothing is to keep them apart`,
      `${FENCE}: serves where it refuses to have history rewritten or anything removed, whatever the agent rewrites`,
    ],
  },
  "machines.saved": {
    says: "Nothing of a task that other machines may take over is recorded as done before the git remote has the work.",
    source: REMOTE,
    tests: [
      `${SHARED}: is recorded as done once the remote has its work, however long that takes, and no agent works twice`,
      `${SHARED}: is not recorded where the remote refuses its work: the task is blocked, with the reason`,
      `${SHARED}: is recorded by whoever goes on, if its worker had to end before the remote had its work`,
      `${SHARED}: is recorded after a crash only when what was left is on the remote`,
    ],
  },
  "machines.taken-over": {
    says: "A machine that takes a task over has what was committed and what was not, loses nothing of its own, and begins a session that is told what was done.",
    source: REMOTE,
    tests: [
      `${FENCE}: gets what was committed and what was not, and nothing that git ignores`,
      `${FENCE}: gets it back from another, and what it had done itself meanwhile is set aside`,
      `${FENCE}: keeps its own worktree where nobody else saved anything since, and moves it forward where that loses nothing`,
      `${FENCE}: begins from the branches as the remote has them now`,
      `${FENCE}: gets the commits of a folder that lost its .git, or is in the middle of a merge`,
      `${FENCE}: loses nothing where it is killed while it takes over`,
      `${SHARED}: that is on another machine is not resumed: a new one is told what was done`,
    ],
  },
  "machines.merge": {
    says: "With several machines, a merge goes to the git remote first, with the leases on the task and on the target, and the local branch follows.",
    source: REMOTE,
    tests: [
      `${FENCE}: goes to the remote first, together with both leases, whatever the order says; the checkout follows`,
      `${SHARED}: waits for its turn again where another machine took the target over, and is no failure`,
    ],
  },
  "machines.caps": {
    says: "A cap over all machines lets tasks wait without asking for them again and again; the loop says which one, and caps that nobody would hold are refused.",
    source: `${SEVERAL}, Caps`,
    tests: [
      `${LOOP_CAPS}: lets a task wait until somebody has ended, asks once per cap and look, and says why`,
      `${LOOP_CAPS}: ends a loop that runs once, and is no failure`,
      `${LOOP_CAPS}: is asked for what the task counts for: its repository, its agent, and the dollars that are left of its budget`,
      `${LOOP_CAPS}: that pawl.yaml sets and nobody would hold is refused`,
      "src/workflows/bloom/scheduler/parts.test.ts: keep caps over all machines against what loosens them, too",
      "src/surfaces/cli/bloom/run-screen.test.ts: says once which cap lets tasks wait, and shows it for as long as it does",
    ],
  },
  "machines.workers": {
    says: "A worker of `pawl worker` works among others under a name of its own until it is told to end: it then takes nothing more and brings what it has to its end, or hands it back.",
    source: `${SEVERAL}, Workers`,
    tests: [
      `${WORKERS}: keep to a cap over all of them, and say that it lets tasks wait`,
      `${WORKERS}: by a person's word takes nothing more, and ends when its tasks are done; others go on`,
      `${WORKERS}: by SIGTERM does so, too, and hands its tasks back by a second one`,
      `${WORKERS}: leaves no agent, and its name and its task to the next`,
      `${WORKERS}: because it %s has its agent ended before another one begins`,
      `${BEAT}: is sent at once and three times as often as needed, also after one that failed, and ends with the worker`,
      `${BEAT}: hears %s once, and lets it take nothing more`,
      `${BEAT}: tells at once that it drains by itself, and takes that for no order`,
      `${BEAT}: ends it at once if another process has its name`,
      `${LOOP_CAPS}: takes nothing more, brings what it has to its end, and ends by itself`,
      `${LOOP_CAPS}: ends at once if it is idle`,
      `${LOOP_CAPS}: does not wait for what cannot be read, once nothing is at work`,
      `${LOOP_CAPS}: leaves its tasks to the others, which is no failure`,
    ],
  },
  "machines.labels": {
    says: "A worker takes only what its labels say, and status names each task that no worker serves, and each cap for which a task waits.",
    source: `${SEVERAL}, Labels`,
    tests: [
      `${WORKERS}: take what their labels say, and status names what none of them serves`,
      `${LABELS}: are read from %j`,
      `${LABELS}: are refused in %j, with what they look like`,
      `${LABELS}: %j serve %j but for %j`,
      `${LABELS}: that all fail a task name what it asks for`,
      `${UNTAKEN}: says nothing of workers where there are no other machines`,
      `${UNTAKEN}: waits for the next free worker, or names what none of them serves; one that drains serves nothing`,
      `${UNTAKEN}: names the cap that is reached, as the database reckons it`,
      `${CAPS}: shows what is reserved for work on tasks, and which of it a dead machine left`,
    ],
  },
  "machines.waits-for-database": {
    says: "A worker that is started while the database is away says what it waits for, and begins when it is there; what would fail again ends it at once, and other commands do not wait.",
    source: `${SEVERAL}, Workers`,
    tests: [
      `${WORKERS}: says what it waits for, and begins when it is there; what can never succeed ends it at once`,
    ],
  },
  "machines.comes-back": {
    says: "A worker that is started again where it died has its name and its tasks at once; others leave what a dead worker left for a minute to one that is alive in the same checkout, serves it and has time, but not twice in a row, and no longer than before where the whole machine died.",
    source: "team, Workers (a host that survived is preferred)",
    tests: [
      `${WORKERS}: has its name at once, and goes on with its task in the same worktree`,
      `${CAPS}: is left for a minute to a worker that is alive in the same place and has time`,
      `${CAPS}: is free at once where nobody there shows signs of life: a lease lasts twice as long as they count`,
      `${CAPS}: is nobody's in particular where its worker handed it back, or died of it twice in a row`,
      `${CAPS}: is free at once for a worker of its name that is alone in its place, and its name with it`,
      `${LOOP_CAPS}: is left to one in the same place for as long as that is preferred, and taken then`,
      `${LOOP_CAPS}: is not left to one that does not serve it`,
      `${SHARED}: ends what a dead one left here, and takes no lease for it: whoever takes the task knows that its worker died`,
    ],
  },
  "machines.ends-first": {
    says: "A worker that is started again where it died frees its tasks only after all that its agents left is ended; where that cannot be done, their leases run out by themselves.",
    source: "team, Proof (exactly one live run per task and epoch)",
    tests: [
      `${WORKERS}: frees no task before what its agent left is ended, also what ignores SIGTERM`,
      `${HERE}: has what a dead one left ended before it has that one's leases ended: %s`,
      `${HERE}: is not alone where one of its name is alive: nothing is ended`,
      `${DEAD}: is ended, and nothing of a loop that is alive or of another checkout`,
    ],
  },
  "machines.waits": {
    says: "What another machine holds is left alone until its lease runs out, and then taken at once.",
    source: `${SEVERAL}, A worker that loses touch`,
    tests: [
      `${LOOP_CAPS}: is not asked for before its lease runs out, and then at once`,
      `${CAPS}: is known with the time that is left of it, and neither what was released nor what a dead one left`,
    ],
  },
  "machines.loses-touch": {
    says: "A worker that cannot renew a lease, or whose machine slept, ends the task's agent before another machine can take the task.",
    source: `${SEVERAL}, A worker that loses touch`,
    tests: [
      `${HELD}: is lost while nobody can take it yet, counted from when the last renewal was sent`,
      `${HELD}: is kept by a renewal whose reply comes late, as long as it was sent in time`,
      `${HELD}: is lost at once if somebody else has it, and another one is not`,
      `${HELD}: is held as long as one can be sure of it, and else given back: another worker may have it`,
      `${HELD}: has lost its leases: %s`,
      `${HELD}: is told with the first lease and each renewal that succeeds, and that nothing is held any more`,
      `${HELD}: is renewed while it is held, and nothing is asked any more once none is`,
      `${LOOP_CAPS}: has its agent ended at once, and its worker goes on with it later, in the same session`,
      `${DEAD}: is ended in time, also if it ignores SIGTERM: three seconds are left for a machine that is busy`,
    ],
  },
  "team.containers": {
    says: "A recipe for containers (`examples/team`) makes a database and three workers; its script makes the checkout, and drains by SIGTERM.",
    source: "team, the end (docker compose up)",
    tests: [
      "test/e2e/compose.slow.test.ts: the compose file has a database and workers that reach it on their own loopback, each with a home of its own",
      "test/e2e/compose.slow.test.ts: its script makes the checkout, runs what a person asks, and is a worker that SIGTERM drains",
    ],
  },
  "team.demonstrated": {
    says: "A demo of three machines plays it for real: one dies in the middle of a step, and nothing is lost and nothing done twice.",
    source: "team, the end (npm run demo -- --team)",
    tests: ["demo/run.slow.test.ts: loses nothing where one of them dies, and runs nothing twice"],
  },
  "team.walled": {
    says: "What an agent committed behind the wall is on the remote before anything is recorded that builds on it; a machine that lacks what git needs blocks no task.",
    source: TEAM,
    tests: [
      "src/workflows/bloom/scheduler/shared.test.ts: is taken before its work is saved, which is before its calls are made",
      "src/workflows/bloom/scheduler/shared.test.ts: is taken before what an earlier worker left is saved",
      "src/workflows/bloom/scheduler/shared.test.ts: blocks no task that others can do: it says what is missing, and leaves it as it is",
    ],
  },
  "backlog.push": {
    says: "A push (`pawl push`) replaces the database's tasks with a person's edit of an exported tasks file, once, and only while the database has what was exported: else it names what changed there, and changes nothing.",
    source: PUSHED,
    tests: [
      `${CLI}: are edited in an exported folder and pushed from there, unless they changed meanwhile`,
      `${CLI}: are pushed by a person with a login that may work, and from a folder that has tasks`,
      `${PUSH}: replaces the tasks that were exported, once, with an event, and can be followed by another`,
      `${PUSH}: is refused once others changed the tasks, names what they changed, and changes nothing`,
      `${PUSH}: is refused for what others commit right before it`,
      `${PUSH}: is refused for a file that was never exported, unless the database has the same tasks or none`,
      `${PUSH}: notes what it pushed, not what was saved while it pushed`,
      `${PUSH}: happens once if it ends between the database's commit and its note`,
      `${PUSH}: is refused for tasks with problems`,
    ],
  },
};
