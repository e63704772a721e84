import type { Requirement } from "./requirements.ts";

/** What may be executed, and by whose word. */
export const POLICY = {
  "yaml.bounded": {
    says: "A YAML file that is too large, too deep, or whose aliases multiply is refused with its place, by the error of its kind of file.",
    source: "docs/security.md, A text that takes too long to parse",
  },
  "yaml.linear": {
    says: "One megabyte of YAML takes less than two seconds, whatever it says; ten thousand tasks as people write them are read.",
    source: "docs/security.md, A text that takes too long to parse",
  },
  "files.planted": {
    says: "A FIFO, a device, a socket, a link or a file of gigabytes in a place that an agent may write neither blocks a reader nor shows what is elsewhere.",
    source: "docs/security.md, A trap in place of a file",
  },
  "files.unreadable": {
    says: "What cannot be read (leases, files that a plan names, how a check stands, what was trusted) is an error with its cause, and never taken for what is not there.",
    source: "docs/security.md, One edit loosens the rules",
  },
  "state.runs-nothing": {
    says: "No command that stands in a state file is run: commands come by name from the configuration or the table.",
    source: "docs/security.md, A command in a state",
  },
  "state.keys": {
    says: "A key in a state file finds only a run of the very same command, in a folder of Pawl's own.",
    source: "docs/security.md, A command in a state",
  },
  "trust.asked": {
    says: "Nothing that a project's files name is started on a machine before a person agreed to it there; reading works.",
    source: "docs/trust.md",
  },
  "trust.exact": {
    says: "Trust is of exactly what was shown, kept outside the project; what is added or changed is asked for again.",
    source: "docs/trust.md",
  },
  "trust.new": {
    says: "What an edit, a pull or a merge brings is new: at a terminal the loop asks once about that alone; unattended its task waits, and the others go on.",
    source: "docs/trust.md",
  },
  "trust.person": {
    says: "A person says what may be started: at a terminal, in a script of theirs, or by adding it with a command of Pawl at a terminal; no agent does.",
    source: "docs/trust.md",
  },
  "permission.listed": {
    says: "Under edits an agent runs listed commands only, with options and paths that neither write nor read elsewhere, whatever its client can match.",
    source: "docs/security.md, An allowed command does more",
  },
  "policy.claims": {
    says: "What is written into tasks.yaml while an agent is at work loosens no task, neither then nor after the agent has ended.",
    source: "docs/trust.md, What governs a run",
  },
  "policy.elsewhere": {
    says: "A run that went on under a policy that this machine never kept for it is held until a person accepts that.",
    source: "docs/trust.md, What governs a run",
  },
  "policy.rules": {
    says: "An edit that tightens a policy counts at once; one that loosens it, or cannot be told to tighten it, does not.",
    source: "docs/trust.md, What governs a run",
  },
  "policy.pinned": {
    says: "What governs a run is what it began with: an agent with a shell does not loosen it for itself, for another task or for the next loop.",
    source: "docs/trust.md, What governs a run",
  },
  "policy.once": {
    says: "Of several processes that begin a run at once, the run is governed by the policy of the one that began it.",
    source: "docs/security.md, One edit loosens the rules",
  },
  "policy.own": {
    says: "A run of an own workflow goes by its definition as it was when the run began: what loosens it holds the run until a person accepts it.",
    source: "docs/trust.md, What governs a run",
  },
  "policy.placed": {
    says: "What loosens a policy is told with the file and line where it stands.",
    source: "docs/trust.md, What governs a run",
  },
  "policy.shown": {
    says: "A run's history shows what was loosened and does not count, as its gate does; of a run that is over nothing is told.",
    source: "docs/trust.md, What governs a run",
  },
  "policy.claim": {
    says: "A task or step that tasks.yaml ends while an agent without a wall is at work is its claim: of its own task the loop verifies it, of others it is put back, and a person's command ends them.",
    source: "docs/trust.md, What governs a run",
  },
  "policy.accepted": {
    says: "What loosens a policy is shown, at the gate too, and counts once a person accepts it.",
    source: "docs/trust.md, What governs a run",
  },
  "wall.holds": {
    says: "Behind the wall an agent can write nothing but its workspace, its outbox and files of its own, see no other task, secret or process, and leave no process.",
    source: "docs/security.md, The wall",
  },
  "wall.protected": {
    says: "Where a project's root may be written behind the wall, what Pawl and a person's programs start or trust may not, whether it exists or not.",
    source: "docs/security.md, The wall",
  },
  "wall.lets-work": {
    says: "Behind the wall an agent commits on its own branch, resumes its session and marks its steps.",
    source: "docs/security.md, The wall",
  },
  "wall.one-branch": {
    says: "Of what an agent did to git in its workspace, its commits come out: whole, of objects that are what their names say and that git accepts.",
    source: "docs/security.md, The wall",
  },
  "wall.crash": {
    says: "What an agent committed before its loop was killed is brought in by the next.",
    source: "docs/decisions/wall.md",
  },
  "wall.commands": {
    says: "Commands that Pawl runs are behind the wall, too; a failure says so.",
    source: "docs/security.md, The wall",
  },
  "wall.missing": {
    says: "Where there can be no wall, auto says so in one plain sentence, and bwrap starts nothing.",
    source: "docs/security.md, The wall",
  },
} satisfies Record<string, Requirement>;
