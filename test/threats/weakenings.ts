/**
 * For each row of the tables of threats in docs/security.md, edits that take its protection away, as an honest mistake could,
 * and the tests that must turn red then. `run.ts` tries them.
 *
 * What a test then lets happen must stay within its own folders: the wall's ground, say, stays read-only, because its
 * tests try to write the system.
 */
import type { Edit } from "../rig/broken-copy.ts";

export interface Weakening extends Edit {
  /** What it takes away, after "Without": for the report. */
  readonly takes: string;
  /** `src/x.test.ts: a whole title`, of a test's case with its values. */
  readonly tests: readonly string[];
  /** Its tests take minutes: only tried with `--all`. */
  readonly takesLong?: true;
}

export const WEAKENINGS: Readonly<Record<string, readonly Weakening[]>> = {
  "Forged work on a protected branch": [
    {
      takes: "the base's signers",
      file: "src/verify/records.ts",
      find: "history.view(history.base).read(ALLOWED_SIGNERS)",
      replace: "history.view(history.head).read(ALLOWED_SIGNERS)",
      tests: [
        "test/e2e/verify.proof.test.ts: names a signer who allowed themselves in HEAD: record-signature",
      ],
    },
    {
      takes: "the comparison of the commit's tree with the approved one",
      file: "src/verify/coverage.ts",
      find: ' && record.verdict === "approve" && record.tree === work',
      replace: ' && record.verdict === "approve"',
      tests: [
        "test/e2e/verify.proof.test.ts: names a tree that was changed after it was approved: commit-uncovered",
      ],
    },
    {
      takes: "the replay of the signed steps",
      file: "src/verify/records.ts",
      find: "    isFinal.push(...replayed.isFinal);",
      replace: "    faults.length = 0;\n    isFinal.push(...replayed.isFinal);",
      tests: ["test/e2e/verify.proof.test.ts: names an event that cannot be: record-steps"],
    },
    {
      takes: "the look at what stands in the place of records",
      file: "src/adapters/git/workspace/stripped-tree.ts",
      find: "left === ENTIRELY && FILE_MODES.has(entry.mode) ? [] : [entry]",
      replace: "below === ENTIRELY ? [] : [entry]",
      tests: [
        "test/e2e/verify.proof.test.ts: names a link in the place of the records: commit-uncovered",
        "test/e2e/verify.proof.test.ts: names a link among the records of a run that is approved: commit-uncovered",
      ],
    },
    {
      takes: "the rule that records are only added",
      file: "src/verify/records.ts",
      find: "const faults: Fault[] = [...changedFaults(history)];",
      replace: "const faults: Fault[] = [];",
      tests: ["test/e2e/verify.proof.test.ts: names a record that was removed: record-changed"],
    },
    {
      takes: "the difference between a record's base and what it covers",
      file: "src/verify/coverage.ts",
      find: '    if (base === id) return "which is the same commit";\n',
      replace: "",
      tests: ["test/e2e/verify.proof.test.ts: names a base that is the approved work itself: base-moved"],
    },
  ],
  "A forged verdict": [
    {
      takes: "the comparison of what was signed with what is committed",
      file: "src/runtime/transaction/signed-gate.ts",
      find: "if (present !== signed.record)",
      replace: "if (present === null)",
      tests: [
        "src/runtime/transaction/signed-gate.test.ts: is asked for anew if the work has changed since it was signed",
        "src/runtime/transaction/signed-gate.test.ts: is asked for anew if the artifact has changed since it was signed",
      ],
    },
    {
      takes: "the check of the signature",
      file: "src/runtime/transaction/signed-gate.ts",
      find: "  await checkSignature(signed, record as GateRecord, gate);\n",
      replace: "",
      tests: [
        "test/e2e/signed-gates.proof.test.ts: is not passed by a key that the signers' file does not name, even under an allowed name",
      ],
    },
    {
      takes: "the level that was pinned with the run",
      file: "src/runtime/transaction/signed-gate.ts",
      find: '(level, each) => stricter(level, each ?? "any"),',
      replace: "(level) => level,",
      tests: [
        "src/runtime/transaction/signed-gate.test.ts: is signed if it was pinned so, whatever the files say since",
      ],
    },
    {
      takes: "the strength of a verdict",
      file: "src/runtime/transaction/signed-gate.ts",
      find: "if (!isStrongEnough(verdict.strength, level)) throw weakVerdictError(verdict, level);",
      replace: 'if (level === "touch") throw weakVerdictError(verdict, level);',
      tests: ["src/runtime/transaction/signed-gate.test.ts: is refused if it is weaker than terminal"],
    },
  ],
  "Pawl's folder in a repository": [
    {
      takes: "the refusal to commit in such a repository",
      file: "src/adapters/git/workspace/planted.ts",
      find: 'if (tracksPawl(call.folder) === "no") return;',
      replace: 'if (tracksPawl(call.folder) !== "yes") return;',
      tests: [
        "test/e2e/foreign-journal.test.ts: (.pawl/runs/x.json, index version 4) is read with a warning, and nothing is committed in it",
      ],
    },
    {
      takes: "the other spellings of the folder in a branch",
      file: "src/adapters/git/workspace/planted.ts",
      find: 'if (path.split("/").some(isPawlName)) return "pawl";',
      replace: 'if (path.split("/").includes(".pawl")) return "pawl";',
      tests: [
        "src/adapters/git/workspace/worktrees.story.test.ts: is not merged if a commit of it holds .PAWL/journal, be it only in between",
      ],
    },
    {
      takes: "the look at what a `.git` holds",
      file: "src/adapters/git/discover.ts",
      find: "if (statSync(path).isDirectory()) return isGitFolder(path) ? path : null;",
      replace: "if (statSync(path).isDirectory()) return path;",
      tests: [
        "src/adapters/git/discover.test.ts: is the one that git finds, if an empty folder stands in .git",
        "src/adapters/git/discover.test.ts: is the one whose index shows that files of .pawl/ are tracked, past an empty .git",
      ],
    },
  ],
  "Links in Pawl's own folder": [
    {
      takes: "the look for links on the way",
      file: "src/adapters/files/own-folder.ts",
      find: "if (stats.isSymbolicLink() || (isOnTheWay && !stats.isDirectory()))",
      replace: "if (isOnTheWay && !stats.isDirectory() && !stats.isSymbolicLink())",
      tests: [
        "test/links.test.ts: .pawl/bin is refused by its name (writer 3), and nothing is written behind it",
        "test/links.test.ts: .pawl/commands is refused by its name (writer 7), and nothing is written behind it",
      ],
    },
    {
      takes: "opening without following",
      file: "src/adapters/files/own-folder.ts",
      find: "constants.O_TRUNC | HARMLESS",
      replace: "constants.O_TRUNC",
      tests: ["test/links.test.ts: as an agent's output or the loop's program is not written through"],
    },
    {
      takes: "the look at the folder that was opened",
      file: "src/adapters/files/journal/temporary.ts",
      find: "    checkFolders(disk, path);\n  } catch",
      replace: "    disk.stat(fd);\n  } catch",
      tests: [
        "src/adapters/files/swapped.test.ts: leads none of its texts out of the project (a replaced file)",
      ],
    },
  ],
  "A planted cache": [
    {
      takes: "the cache's place outside the project",
      file: "src/app/open-project.ts",
      find: "openCache(files.state, ",
      replace: 'openCache({ folder: root.concat("/.pawl") }, ',
      tests: ["test/e2e/bloom-tasks.test.ts: believes no cache that came with the project"],
    },
    {
      takes: "the comparison with the text that it was made of",
      file: "src/adapters/files/cache.ts",
      find: "kept.version === version && kept.source === source ? kept.worked : null",
      replace: "kept.worked",
      tests: [
        "src/adapters/files/cache.test.ts: gives back what was worked out of exactly this text, in another process's place too",
      ],
    },
  ],
  "A planted journal": [
    {
      takes: "a record's MAC",
      file: "src/adapters/files/journal/record.ts",
      find: "if (key === null || macOf(key, header) !== mac)",
      replace: "if (key === null)",
      tests: [
        "src/adapters/files/journal/record.test.ts: made with another key are foreign, all of them or behind good ones",
      ],
    },
    {
      takes: "the chain of records",
      file: "src/adapters/files/journal/record.ts",
      find: " && previous === last.mac;",
      replace: ";",
      tests: [
        "src/adapters/files/journal/record.test.ts: cannot be made of own ones by leaving one out, by another order, or by mixing two journals",
      ],
    },
    {
      takes: "the check of a record's paths",
      file: "src/adapters/files/journal/steps.ts",
      find: 'pathFault(path) ?? (isReserved(path) ? "it is reserved for the store" : null)',
      replace: 'isReserved(path) ? "it is reserved for the store" : null',
      tests: [
        "src/adapters/files/journal/record.test.ts: that name ../outside with mode undefined are never good, whatever their MAC",
        "src/adapters/files/journal/record.test.ts: that name sub/.GIT/config with mode undefined are never good, whatever their MAC",
        "test/e2e/foreign-journal.test.ts: is accepted by nobody if it names git's folder, not even its other files",
      ],
    },
    {
      takes: "the check of a file's mode",
      file: "src/adapters/files/journal/steps.ts",
      find: "(isCount(mode) && mode <= PERMISSIONS)",
      replace: "isCount(mode)",
      tests: [
        "src/adapters/files/journal/record.test.ts: that name tool with mode 2541 are never good, whatever their MAC",
      ],
    },
    {
      takes: "the refusal of an agent's call",
      file: "src/surfaces/cli/terminal/person.ts",
      find: '  refuseAgent(host, "decide this", command);\n',
      replace: "",
      tests: [
        "test/e2e/foreign-journal.test.ts: is accepted by nobody else: no agent, no script, no person who says no",
      ],
    },
    {
      takes: "the refusal of a whole journal for one unusable commit",
      file: "src/adapters/files/journal/accept.ts",
      find: "if (commits.includes(null) || commits.length === 0 || nested !== undefined)",
      replace: "if (steps.length === 0 || nested !== undefined)",
      tests: [
        "test/e2e/foreign-journal.test.ts: is accepted by nobody if it names git's folder, not even its other files",
      ],
    },
    {
      takes: "the lowest epoch that counts",
      file: "src/adapters/files/journal/record.ts",
      find: 'if (epoch < floor) return { type: "foreign", reason: "earlier" };',
      replace: 'if (epoch < 0) return { type: "foreign", reason: "earlier" };',
      tests: [
        "test/e2e/foreign-journal.test.ts: of the same project, brought back after it was settled, is not applied",
      ],
    },
  ],
  "A trap in place of a file": [
    {
      takes: "the limit of a listing",
      file: "src/adapters/files/plain-file.ts",
      find: "entry !== null && entries.length < most; entry",
      replace: "entry !== null && most > 0; entry",
      tests: ["src/adapters/files/remove-tree.test.ts: is read as far as is asked for"],
    },
    {
      takes: "the rule that no link is followed",
      file: "src/adapters/files/plain-file.ts",
      find: "(constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)",
      replace: "constants.O_NONBLOCK ?? 0",
      tests: [
        "src/adapters/files/plain-file.test.ts: in the place of a check's output neither blocks its reader nor shows what is elsewhere",
      ],
    },
    {
      takes: "the look at the way to what setup keeps",
      file: "src/adapters/setup/setup.ts",
      find: "const places = paths.map((path) => placeIn(top, path));\n    for (const [index, place] of places.entries()) await copy(join(kept",
      replace:
        "const places = paths.map((path) => join(top.agentPath, path));\n    for (const [index, place] of places.entries()) await copy(join(kept",
      tests: [
        "src/adapters/files/plain-file.test.ts: a folder that setup keeps is neither taken nor put back through a link",
      ],
    },
    {
      takes: "the look for a FIFO that git waits for",
      file: "src/adapters/git/git.ts",
      find: "if (pipe !== null && isOpen) pass(",
      replace: "if (pipe === folder && isOpen) pass(",
      tests: [
        "src/adapters/git/git.test.ts: does not wait long for a FIFO that git waits for, and names it: sub/.gitattributes",
      ],
    },
  ],
  "A text that takes too long to parse": [
    {
      takes: "the limit on what an agent's line holds",
      file: "src/core/json.ts",
      find: "if (values > MAX_VALUES)",
      replace: "if (values < 0)",
      tests: [
        "src/adapters/agents/heard.test.ts: is not parsed if a line has millions of values, and is if it has one long text",
      ],
    },
    {
      takes: "the limit on what aliases expand to",
      file: "src/core/yaml/yaml.ts",
      find: "return countOf(data) <= MAX_VALUES ? { data }",
      replace: "return alias.offset >= 0 ? { data }",
      tests: [
        "src/core/yaml/yaml.test.ts: a file with aliases that multiply has one fault, with its place",
        "src/core/yaml/yaml.test.ts: a file with a value that is within itself has one fault, with its place",
      ],
    },
    {
      takes: "the limit on depth",
      file: "src/core/yaml/yaml.ts",
      find: "if (brackets + onLine + indents.length > MAX_DEPTH)",
      replace: "if (onLine + indents.length > MAX_DEPTH)",
      tests: ["src/core/yaml/yaml.test.ts: a file with brackets without end has one fault, with its place"],
    },
    {
      takes: "the limit on words and signs",
      file: "src/core/yaml/yaml.ts",
      find: "    if (tokens > most)\n",
      replace: "    if (tokens > text.length)\n",
      tests: ["src/core/yaml/yaml.test.ts: a file with a million signs has one fault, with its place"],
    },
    {
      takes: "the lookup of aliases",
      file: "src/core/yaml/yaml.ts",
      find: '  if (text.includes("*")) resolveAliases(document);\n',
      replace: "",
      tests: [
        "test/linear.proof.test.ts: is read within two seconds, or refused in Pawl's own words: YAML: a file",
      ],
      takesLong: true,
    },
    {
      takes: "the limit on the depth of a page",
      file: "src/adapters/trackers/tree.ts",
      find: "const MAX_DEPTH = 100;",
      replace: "const MAX_DEPTH = 1_000_000;",
      tests: [
        "test/linear.proof.test.ts: is read within two seconds, or refused in Pawl's own words: tracker: HTML",
      ],
    },
    {
      takes: "the end of a reader that gets a large object",
      file: "src/adapters/git/reader.ts",
      find: "if (rest.length > MAX_ANSWER) end();",
      replace: "if (rest.length > Number.MAX_VALUE) end();",
      tests: [
        "src/adapters/git/reader.test.ts: reads a commit with a message of many megabytes at once, and refuses one that is larger still",
      ],
    },
  ],
  "A command in a state": [
    {
      takes: "the comparison of a result's command",
      file: "src/adapters/checks/checks.ts",
      find: "if (start !== null && (start.command !== command || (start.tree ?? null) !== run.tree)) {",
      replace: "if (start !== null && (start.tree ?? null) !== run.tree) {",
      tests: [
        "src/adapters/checks/checks.test.ts: a run of another command is not taken for this one's, whatever its key says",
        "test/e2e/state-runs-nothing.test.ts: a check that passed earlier under a key does not answer for another command",
      ],
    },
    {
      takes: "the form of a key",
      file: "src/adapters/checks/checks.ts",
      find: "if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/.test(key)) return key;",
      replace: "if (key.length <= 200) return key;",
      tests: ["src/adapters/checks/checks.test.ts: a key that is no plain name is refused"],
    },
    {
      takes: "the removal of a link in a run's place",
      file: "src/adapters/checks/checks.ts",
      find: "if (stats && !stats.isDirectory()) rmSync(folder, { force: true });",
      replace: "if (stats?.isFile()) rmSync(folder, { force: true });",
      tests: ["src/adapters/checks/checks.test.ts: a link in the place of a run is not followed"],
    },
  ],
  "An agent speaks for another task": [
    {
      takes: "the comparison of a call's task with the caller's",
      file: "src/workflows/bloom/own-verbs.ts",
      find: "if (task !== null && task !== caller.task)",
      replace: "if (task !== null && caller.task === null)",
      tests: [
        "test/e2e/bloom-own-verbs.proof.test.ts: speaks for its own task only: for another's every verb is refused with a sentence",
        "test/e2e/bloom-own-verbs.proof.test.ts: counts for the run's own task only, and only with its capability",
      ],
    },
    {
      takes: "the list of an agent's verbs",
      file: "src/workflows/bloom/own-verbs.ts",
      find: "if (!OWN_VERBS.includes(name))",
      replace: 'if (name === "approve")',
      tests: [
        "test/e2e/bloom-own-verbs.proof.test.ts: is refused a person's verbs and commands, for its own task and for others",
      ],
    },
    {
      takes: "the comparison of a capability's run with the process's marks",
      file: "src/adapters/agents/capability.ts",
      find: "if (proven !== null && marked.every((run) => run === proven.run)) return proven;",
      replace: 'if (proven !== null && marked.every((run) => run !== "")) return proven;',
      tests: [
        "test/e2e/bloom-own-verbs.proof.test.ts: cannot use another run's capability, nor one that it made itself",
      ],
    },
    {
      takes: "the comparison of a capability with its hash",
      file: "src/adapters/agents/capability.ts",
      find: "return same && kept.run === run && isId(kept.task)",
      replace: "return kept.run === run && isId(kept.task)",
      tests: [
        "test/e2e/bloom-own-verbs.proof.test.ts: cannot use another run's capability, nor one that it made itself",
        "test/e2e/bloom-own-verbs.proof.test.ts: counts for the run's own task only, and only with its capability",
      ],
    },
    {
      takes: "the end of a capability with its run",
      file: "src/adapters/agents/capability.ts",
      find: "  rmSync(capabilityFile(stateFolder, run), { force: true });\n",
      replace: "",
      tests: [
        "test/e2e/bloom-own-verbs.proof.test.ts: has a capability that is over with its run, and in no output",
      ],
    },
    {
      takes: "the marks of ancestors",
      file: "src/adapters/agents/capability.ts",
      find: "values.push(variable(MARK), markOfCgroup(",
      replace: 'values.push(variable(MARK) && environment[MARK] ? environment[MARK] : "", markOfCgroup(',
      tests: [
        "src/adapters/agents/capability.test.ts: finds a run's mark in its own environment, and in a parent's though its own is cleared",
      ],
    },
  ],
  "An unread plan": [
    {
      takes: "the cleaning of what an agent proposes",
      file: "src/tasks-file/proposal.ts",
      find: "clean(text).trim()",
      replace: "text.trim()",
      tests: ["src/tasks-file/proposal.test.ts: loses what would show other words than it says"],
    },
    {
      takes: "the read-only project of an agent that plans",
      file: "src/workflows/bloom/proposal/propose.ts",
      find: "readOnly: true, ",
      replace: "",
      tests: [
        "src/workflows/bloom/proposal/propose.test.ts: only reads, within the limits of a task, and what it changed is told",
        "test/e2e/bloom-plan.test.ts: lets the agent write nowhere in the project behind the wall",
      ],
    },
    {
      takes: "the person who has seen the diff",
      file: "src/workflows/bloom/proposal/take-proposal.ts",
      find: "if (!hasAnswered(context, message))",
      replace: 'if (hasAnswered(context, ""))',
      tests: [
        "test/e2e/bloom-plan.test.ts: shows the diff without a terminal, changes nothing, and takes the kept proposal with a person's yes",
      ],
    },
  ],
  "A person's decision by another command": [
    {
      takes: "the person whom --force needs",
      file: "src/workflows/bloom/verbs/status.ts",
      find: "        ? askForced(task, open.length, context)\n",
      replace: "        ? byAgent && askForced(task, open.length, context)\n",
      tests: [
        "test/e2e/bloom-own-verbs.proof.test.ts: makes a task done without its work at a terminal only",
      ],
    },
    {
      takes: "the verification of what a script calls done",
      file: "src/workflows/bloom/verbs/status.ts",
      find: " || inLoop || subtasks || unseen));",
      replace: " || inLoop || (subtasks && unseen)));",
      tests: [
        "test/e2e/bloom-own-verbs.proof.test.ts: makes a task done without its work at a terminal only",
      ],
    },
    {
      takes: "the refusal of an agent's call",
      file: "src/workflows/bloom/verbs/persons-word.ts",
      find: "  if (isAgentCall(context)) throw agentCallError(run, verb);\n",
      replace: "",
      tests: [
        "test/e2e/bloom-persons-word.proof.test.ts: gets a fresh budget from a person only, and its agent's question an answer",
      ],
    },
    {
      takes: "the question before an approval is skipped",
      file: "src/workflows/bloom/verbs/persons-word.ts",
      find: '    run.state === "blocked" ||\n    run.state === "target_red" ||\n',
      replace: '    !isPersonHere(context) ||\n    run.state === "blocked" ||\n',
      tests: ["test/e2e/bloom-persons-word.proof.test.ts: is not let go on by an agent's `reset`"],
    },
    {
      takes: "the refusal of an agent's answer",
      file: "src/workflows/bloom/verbs/question.ts",
      find: "    if (isAgentCall(context))\n",
      replace: "    if (isAgentCall(context) && question.answer !== null)\n",
      tests: [
        "test/e2e/bloom-persons-word.proof.test.ts: gets a fresh budget from a person only, and its agent's question an answer",
      ],
    },
  ],
  "An agent overspends": [
    {
      takes: "the count of calls while they are made",
      file: "src/adapters/agents/heard.ts",
      find: 'if (usage && !isSame(usage, spentIn(now))) events.push({ type: "usage", usage });',
      replace: 'if (usage && next.end) events.push({ type: "usage", usage });',
      tests: [
        "src/adapters/agents/heard.test.ts: claude are counted turn by turn, before they end",
        "test/e2e/bloom-people.story.test.ts: sets a budget of turns, and its agent is stopped before it has made two more",
      ],
    },
    {
      takes: "the count of what a dead loop's runs spent",
      file: "src/workflows/bloom/scheduler/work-on.ts",
      find: "spent = added(spent, usage, milliseconds);",
      replace: "spent = added(spent, null, 0);",
      tests: ["test/e2e/bloom-people.story.test.ts: sets a budget that a killed loop's runs count in, too"],
    },
    {
      takes: "the order of those who take at the same moment",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "  perform from pawl.project where id = p for update;\n  select * into present from pawl.lease",
      replace: "  select * into present from pawl.lease",
      tests: [
        "src/adapters/postgres/caps.proof.test.ts: is reached and never passed by machines that take at the same moment: a repository's",
      ],
    },
    {
      takes: "what a dead machine may have spent",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "    perform pawl.add_spend(old.project, left_over);",
      replace: "    perform pawl.add_spend(old.project, 0);",
      tests: [
        "src/adapters/postgres/caps.proof.test.ts: counts as spent what a dead machine may have spent, however it is taken over",
      ],
    },
    {
      takes: "the settling",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "  perform pawl.settle(p, lines);\n",
      replace: "",
      tests: [
        "src/adapters/postgres/caps.proof.test.ts: holds as much for a task as it may spend, and what it spent once it is known",
      ],
    },
  ],
  "Git runs what an agent configured": [
    {
      takes: "the checkouts that download nothing",
      file: "src/adapters/git/git.ts",
      find: "? [] : NO_DOWNLOADS",
      replace: "? NO_DOWNLOADS : []",
      tests: ["src/adapters/git/repositories.proof.test.ts: large files and settings of the agent"],
    },
    {
      takes: "the override of a setting with a fixed name",
      file: "src/adapters/git/safe-config.ts",
      find: '  ["core.fsmonitor", "false"],\n',
      replace: "",
      tests: ["src/adapters/git/hostile-config.proof.test.ts: settings that name a program"],
    },
    {
      takes: "the choice of the signing program",
      file: "src/adapters/git/sign.ts",
      find: "lastOf(config, name, true) ?? usual(name)",
      replace: "lastOf(config, name) ?? usual(name)",
      tests: [
        "src/adapters/git/hostile-config.proof.test.ts: a signing program: a commit that only it could sign is not made, which is found before an agent begins",
      ],
    },
    {
      takes: "the refusal of what cannot be overridden",
      file: "src/adapters/git/safe-config.ts",
      find: String.raw`|remote\..*\.(?:uploadpack|receivepack|vcs)|`,
      replace: "|",
      tests: [
        "src/adapters/git/hostile-config.proof.test.ts: remote.origin.vcs, which no option overrides: it is refused by name",
      ],
    },
    {
      takes: "the override of a filter",
      file: "src/adapters/git/safe-config.ts",
      find: "const isTrusted = trusted.includes(name) && isOwnFilter(config, name);",
      replace: "const isTrusted = !trusted.includes(name) || isOwnFilter(config, name);",
      tests: ["src/adapters/git/hostile-config.proof.test.ts: a filter's process"],
    },
    {
      takes: "the override of a merge driver",
      file: "src/adapters/git/safe-config.ts",
      find: "return [...filters, ...merges];",
      replace: "return merges.length > 99 ? merges : filters;",
      tests: ["src/adapters/git/hostile-config.proof.test.ts: a merge driver, if both sides changed a file"],
    },
    {
      takes: "the look at whether the configuration has changed",
      file: "src/adapters/git/safe-config.ts",
      find: "if (cached?.signature === before.text) return cached.config;",
      replace: "if (cached !== undefined) return cached.config;",
      tests: ["src/adapters/git/hostile-config.proof.test.ts: a setting that came after the last read"],
    },
    {
      takes: "the withholding of credentials from a remote on this machine",
      file: "src/adapters/git/git.ts",
      find: "call.remote !== undefined && !isLocalRemote(effective, call.remote.name, call.remote.push === true);",
      replace: "call.remote !== undefined;",
      tests: [
        "src/adapters/git/hostile-config.proof.test.ts: a remote on this machine gets no credentials: its hooks are another's",
      ],
    },
  ],
  "A planted program": [
    {
      takes: "the rule that relative entries do not count",
      file: "src/adapters/process/programs.ts",
      find: 'isAbsolute(entry) ? faultOf(entry) : "it is relative to the working folder"',
      replace: "isAbsolute(entry) ? faultOf(entry) : null",
      tests: ["src/adapters/process/programs.test.ts: neither by a relative entry nor by an empty one"],
    },
    {
      takes: "the rule that nothing of a project counts",
      file: "src/adapters/process/programs.ts",
      find: "  closed.add(real);\n",
      replace: "",
      tests: ["src/adapters/process/programs.test.ts: nowhere in a project, also not by a link to it"],
    },
    {
      takes: "the look at the folders above",
      file: "src/adapters/process/programs.ts",
      find: "      if (why !== null) return why;\n",
      replace: "",
      tests: [
        "src/adapters/process/programs.test.ts: of which others may write one above it, unless only owners remove things there",
      ],
    },
    {
      takes: "the look at who else is in a folder's group",
      file: "src/adapters/process/programs.ts",
      find: "!isOnlyOf(uid, gid, listed)",
      replace: "false",
      tests: ["src/adapters/process/programs.test.ts: that belongs to another user, nor a group's"],
    },
    {
      takes: "the rule that a program has a path",
      file: "src/adapters/process/start-program.ts",
      find: "if (!isAbsolute(program))",
      replace: 'if (program === "")',
      tests: ["src/adapters/process/programs.test.ts: a program is never started by its bare name"],
    },
    {
      takes: "the PATH of what follows a check's command",
      file: "src/adapters/checks/checks.ts",
      find: " PATH=$path; [",
      replace: " [",
      tests: [
        "src/adapters/checks/checks.test.ts: what follows the command starts no program of the project's, though the PATH begins there",
      ],
    },
    {
      takes: "the PATH in which a script's interpreter is searched",
      file: "src/adapters/agents/ask-program.ts",
      find: "added: { PATH: safePath(environment) },",
      replace: "added: {},",
      tests: [
        "src/adapters/agents/ask-program.test.ts: a script is asked with an interpreter that Pawl itself would start, not with the project's",
      ],
    },
    {
      takes: "the PATH of what tries the wall",
      file: "src/adapters/wall/prove.ts",
      find: "{ ...allowedEnvironment(setup.environment), PATH: safePath(setup.environment) }",
      replace: "allowedEnvironment(setup.environment)",
      tests: [
        "src/adapters/wall/wall.story.test.ts: is tried from inside by no program of the project's, and waits for no pipe there",
      ],
    },
  ],
  "Tokens in a child's environment": [
    {
      takes: "the list of what a child may have",
      file: "src/adapters/process/environment.ts",
      find: "const wanted = [...ALWAYS, ...names];",
      replace: "const wanted = [...ALWAYS, ...REMOTE_CREDENTIALS, ...names];",
      tests: [
        "src/adapters/process/environment.test.ts: a check",
        "src/adapters/process/environment.test.ts: a verify or setup command",
        "src/adapters/process/environment.test.ts: an agent, with its own provider's variables",
        "src/adapters/process/environment.test.ts: an agent over ACP",
        "src/adapters/process/environment.test.ts: git",
      ],
    },
    {
      takes: "the look for a password in a proxy's address",
      file: "src/adapters/process/environment.ts",
      find: 'return PROXIES.test(name) && !value.includes("@");',
      replace: 'return PROXIES.test(name) && value !== "";',
      tests: ["src/adapters/process/environment.test.ts: a check"],
    },
    {
      takes: "the environment without the variables of notices",
      file: "src/app/loop-ports.ts",
      find: "...withoutOwnSecrets(environment, settings),\n    [MARK]",
      replace: "...environment,\n    [MARK]",
      tests: [
        "test/e2e/notices.proof.test.ts: tells of a question, a blocked task, a budget and its own rest, each once; its agents see no secret",
      ],
    },
    {
      takes: "the environment of commands without the variables of notices",
      file: "src/app/ports.ts",
      find: "const own = withoutOwnSecrets(environment, now);",
      replace: "const own = environment;",
      tests: [
        "test/e2e/notices.proof.test.ts: A command of the project gets no variable of a notice, whatever the settings name",
      ],
    },
    {
      takes: "the mask over addresses",
      file: "src/adapters/process/redact.ts",
      find: "  /WEBHOOK|TOKEN|",
      replace: "  /TOKEN|",
      tests: ["src/adapters/process/redact.test.ts: is the address of a receiver of notices, too"],
    },
  ],
  "Your ignored files": [
    {
      takes: "the folders' own names for what is copied",
      file: "src/adapters/files/plain-file.ts",
      find: "constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | HARMLESS",
      replace: "constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)",
      tests: [
        "src/adapters/files/plain-file.test.ts: a folder that becomes a link after git has listed its files gives a workspace nothing of what is elsewhere",
      ],
    },
    {
      takes: "the refusal to merge another list of them",
      file: "src/adapters/git/merge.ts",
      find: "if (planted.governing !== null) {",
      replace: 'if (planted.governing === "") {',
      tests: [
        "src/adapters/git/workspace/worktrees.story.test.ts: is not merged if it names ignored files for the next workspaces",
      ],
    },
  ],
  "Tokens in output": [
    {
      takes: "a secret that is split over chunks",
      file: "src/adapters/process/redact.ts",
      find: "if (secret.bytes.startsWith(bytes.slice(at))) earliest = at;",
      replace: "if (secret.bytes === bytes.slice(at)) earliest = at;",
      tests: [
        "src/adapters/process/redact.test.ts: is masked by the variable's name, however the bytes are cut",
      ],
    },
    {
      takes: "the password of an address",
      file: "src/adapters/process/redact.ts",
      find: "for (const password of passwordsIn(value)) add(name, password);",
      replace: "if (passwordsIn(value).length > 0) add(name, value);",
      tests: [
        "src/adapters/process/redact.test.ts: is found as JSON and addresses write it, and as the password of an address",
      ],
    },
    {
      takes: "the masking of a check's file",
      file: "src/adapters/checks/checks.ts",
      find: "    maskOutput(folder, redactor);\n    const output",
      replace: "    const output",
      tests: [
        "src/adapters/process/environment.test.ts: is masked in a check's outcome and in its file, which only its owner can read",
      ],
    },
    {
      takes: "the masking of what a workspace has of the person's secrets",
      file: "src/adapters/agents/run-process.ts",
      find: ", includedSecrets(order.folder));",
      replace: ");",
      tests: [
        "src/adapters/process/included-secrets.test.ts: what an agent and a check print of a file from .worktreeinclude is masked everywhere (none)",
      ],
    },
    {
      takes: "the masking of git's errors",
      file: "src/adapters/git/git.ts",
      find: "return openRedactor(environment).text(errors).replace(",
      replace: "return errors.replace(",
      tests: [
        "src/adapters/git/secrets.test.ts: git's own words of a failure are masked before they are shown",
      ],
    },
    {
      takes: "the masking of a remote's password",
      file: "src/adapters/git/git.ts",
      find: '.replace(PASSWORD_IN_ADDRESS, "$1:[redacted]@")',
      replace: '.replace(PASSWORD_IN_ADDRESS, "$&")',
      tests: [
        "src/adapters/git/secrets.test.ts: git's own words of a failure are masked before they are shown",
      ],
    },
    {
      takes: "the masking of what is typed",
      file: "src/runtime/transaction/run-transaction.ts",
      find: "const input = masked(given, runtime.mask);",
      replace: "const input = given;",
      tests: [
        "test/e2e/typed-secrets.test.ts: masks what an assistant types into an artifact, a note and a review, in files, logs, prompts and answers",
        "test/e2e/typed-secrets.test.ts: masks what is typed at the command line, and leaves a person's own file as it is",
      ],
    },
  ],
  "A verdict without a person": [
    {
      takes: "the terminal",
      file: "src/surfaces/cli/terminal/controlling-terminal.ts",
      find: 'const DEVICE = "/dev/tty";',
      replace: 'const DEVICE = "/dev/stdin";',
      tests: ["test/e2e/person.story.test.ts: is refused if it is piped in"],
    },
    {
      takes: "the agent among the ancestors",
      file: "src/adapters/agents/ancestry.ts",
      find: "  for (const ancestor of chain) {\n",
      replace: "  for (const ancestor of [...chain].slice(0, 0)) {\n",
      tests: [
        "src/adapters/agents/ancestry.test.ts: is told by an ancestor's environment if its own was cleared",
        "test/e2e/person.story.test.ts: is refused to an agent at one in an empty environment",
      ],
    },
    {
      takes: "the agent's program among the ancestors",
      file: "src/adapters/agents/ancestry.ts",
      find: "    if (program) return { agent: program[1], pid, by: basename(word) };\n",
      replace: "    if (program && marked) return { agent: program[1], pid, by: basename(word) };\n",
      tests: [
        "src/adapters/agents/ancestry.test.ts: is recognised by an ancestor's program if a shell replaced itself without the mark",
      ],
    },
    {
      takes: "the loss of what was typed before the question",
      file: "src/surfaces/cli/terminal/controlling-terminal.ts",
      find: "    discardTyped();\n",
      replace: "",
      tests: ["test/e2e/person.story.test.ts: counts nothing that was typed before the question"],
    },
  ],
  "Deceptive words": [
    {
      takes: "the removal of sequences",
      file: "src/core/text/clean.ts",
      find: '    .replace(SEQUENCES, "")\n',
      replace: "",
      tests: ["src/core/text/clean.test.ts: loses a window's title and a link"],
    },
    {
      takes: "the code points of hidden characters",
      file: "src/core/text/clean.ts",
      find: "joins(shown, character, at) ? character : named(character)",
      replace: "joins(shown, character, at) || at >= 0 ? character : named(character)",
      tests: [
        "src/core/text/clean.test.ts: shows the direction of a line",
        "test/e2e/person.story.test.ts: is asked for at the terminal, with the brief first, and an agent's words cleaned, in a line of their own",
      ],
    },
    {
      takes: "the quotes before the lines of others",
      file: "src/runtime/review/question.ts",
      find: "(line) => `> $",
      replace: "(line) => `$",
      tests: [
        "test/e2e/person.story.test.ts: is asked for at the terminal, with the brief first, and an agent's words cleaned, in a line of their own",
      ],
    },
    {
      takes: "the cleaning of a line's text",
      file: "src/surfaces/board/client/words.tsx",
      find: "clean(text.slice(0, max * 4))",
      replace: "String(text.slice(0, max * 4))",
      tests: [
        "test/browser/pages.proof.test.ts: runs nothing that stands in a text, and keeps its form, narrow and wide",
      ],
    },
    {
      takes: "the marks for characters of code that are invisible",
      file: "src/surfaces/board/client/diff/code.tsx",
      find: "if (PLAIN.test(text)) return text;",
      replace: "if (PLAIN.test(text) || HIDDEN.global) return text;",
      tests: [
        "test/browser/pages.proof.test.ts: runs nothing that stands in a text, and keeps its form, narrow and wide",
      ],
    },
  ],
  "Work changes after you saw it": [
    {
      takes: "the comparison of what was shown with what would be shown",
      file: "src/runtime/transaction/person.ts",
      find: "return isAsked && answered !== undefined && answered.to.message === message;",
      replace: 'return isAsked && answered !== undefined && message !== "";',
      tests: [
        "test/e2e/alfred-gates.test.ts: elicit: an answer to a question that would differ by now decides nothing, and the human is asked anew",
      ],
    },
    {
      takes: "the comparison of the question that a client answers",
      file: "src/surfaces/mcp/ask.ts",
      find: 'if (shownHash(open.ask) !== question.message || answer.kind !== "elicit") {',
      replace: 'if (answer.kind !== "elicit") {',
      tests: [
        "test/e2e/custom-mcp.story.test.ts: asks anew if the work changed while the person read the question",
      ],
    },
    {
      takes: "the comparison of the tree at the verdict",
      file: "src/workflows/alfred/evidence/work-evidence.ts",
      find: "if (work.tree === tree) return [];",
      replace: "if (work.tree.length === tree.length) return [];",
      tests: [
        "test/e2e/alfred-hostile.proof.test.ts: names code that changed after it was handed in, and does not approve it; put back, it is approved",
        "test/e2e/alfred-hostile.proof.test.ts: shows it first if evidence is only shown",
      ],
    },
  ],
  "Processes outlive their run": [
    {
      takes: "the descent from a process of the run",
      file: "src/adapters/agents/process-tree.ts",
      find: "if (members.has(parent) && !self.has(pid)) members.add(pid);",
      replace: "if (members.has(pid) && !self.has(parent)) members.add(pid);",
      tests: [
        "src/adapters/agents/process-tree.proof.test.ts: finds a child that cleared its environment, by its parent or by the group of the first process",
      ],
    },
    {
      takes: "the stop of a process at the moment it is found",
      file: "src/adapters/agents/process-tree.ts",
      find: '    signal(pid, "SIGSTOP");\n',
      replace: "",
      tests: [
        "src/adapters/agents/process-tree.proof.test.ts: stops each process when it finds it, and kills none that is not stopped",
      ],
    },
    {
      takes: "the end in order when the terminal is closed",
      file: "src/surfaces/cli/bloom/work-loop.ts",
      find: 'const SIGNALS = ["SIGINT", "SIGTERM", "SIGQUIT", "SIGHUP"] as const;',
      replace: 'const SIGNALS = ["SIGINT", "SIGTERM", "SIGQUIT"] as const;',
      tests: ["test/e2e/bloom-loop-dies.proof.test.ts: end on SIGHUP, in good order"],
    },
    {
      takes: "what the supervisor does when its pipe closes",
      file: "src/adapters/agents/supervisor.ts",
      find: 'done\nexec "$@"`;',
      replace: "done`;",
      tests: [
        "test/e2e/bloom-loop-dies.proof.test.ts: end where the loop is killed in a moment in which it can do nothing",
      ],
    },
  ],
  "A cloned project starts programs": [
    {
      takes: "the agreement to a command",
      file: "src/services/trust.ts",
      find: '[{ kind: "command", name: "a command", text: command }, ...settings]',
      replace: "settings",
      tests: [
        "test/e2e/trust.test.ts: has no command of a workflow of its own run, over the command line and over MCP",
      ],
    },
    {
      takes: "the agreement before the loop",
      file: "src/services/trust.ts",
      find: 'kind === "setting" || kind === "setup"',
      replace: 'kind === "setup"',
      tests: [
        "test/e2e/trust.test.ts: has no task worked on if settings would give every agent more: the loop does not begin",
      ],
    },
    {
      takes: "the agreement to what a task starts",
      file: "src/services/trust.ts",
      find: "return refusal(startsOfTask(task, await context.settings()));",
      replace: "return task.id === '' ? refusal(startsOfTask(task, await context.settings())) : null;",
      tests: [
        "test/e2e/trust.test.ts: has no task worked on: what is said says what to do",
        "test/e2e/trust.test.ts: is not started by a loop that nobody watches: its task waits, and the others go on",
      ],
    },
    {
      takes: "the look before each command of a task under way",
      file: "src/workflows/bloom/scheduler/work-on.ts",
      find: "    if (lacking !== null) throw lacking;\n",
      replace: '    if (lacking?.message === "") throw lacking;\n',
      tests: ["test/e2e/trust.test.ts: is not started if it came while its task was worked on"],
    },
    {
      takes: "the exact text that was agreed to",
      file: "src/core/trust.ts",
      find: "[] : [name]), text]",
      replace: "[] : [name])]",
      tests: [
        "test/e2e/trust.test.ts: is trusted by `pawl trust --yes`, outside of the project, for exactly what was shown",
      ],
    },
    {
      takes: "the checks of criteria from what is agreed to",
      file: "src/core/trust.ts",
      find: "...allChecksOf(task).map((text) =>",
      replace: "...[task, ...task.steps].flatMap(({ verify = [] }) => verify).map((text) =>",
      tests: [
        "src/core/criterion.test.ts: a criterion's check is a program that the project starts, to the letter",
      ],
    },
    {
      takes: "the line breaks that are shown",
      file: "src/core/trust.ts",
      find: '.replaceAll("\\n", "⏎\\n          ")',
      replace: '.replaceAll("\\n", " ")',
      tests: [
        "test/e2e/trust.test.ts: is shown to the letter: line breaks, controls and invisible characters, too",
      ],
    },
    {
      takes: "the refusal of an agent's yes",
      file: "src/surfaces/cli/project/trust.ts",
      find: 'if (yes === true) refuseAgent(host, "allow this", "pawl trust");\n  else confirm(',
      replace: "if (yes !== true) confirm(",
      tests: ["test/e2e/trust.test.ts: takes no agent's word for a person's (CLAUDECODE)"],
    },
    {
      takes: "the folder to which an agreement belongs",
      file: "src/services/trust.ts",
      find: " && found.inode === statSync(root).ino;",
      replace: ";",
      tests: [
        "test/e2e/trust.test.ts: brings no trust along: a record inside it, and one of another folder at its path, do not count",
      ],
    },
  ],
  "An edited state": [
    {
      takes: "the hash of what the state file says, in the log's last line",
      file: "src/runtime/run-log/read.ts",
      find: "if (document === hashOfState(kind, text))",
      replace: 'if (document !== "")',
      tests: [
        "test/e2e/custom-history.test.ts: is held if its counter is set back",
        "test/e2e/bloom-history.proof.test.ts: rests where it was edited to have an approval that nobody gave",
        "test/e2e/alfred-history.test.ts: is held for a person where it was edited to have an approval that nobody gave",
        "test/e2e/alfred-history.test.ts: is held for a person where it was edited to have another artifact under its approval",
        "test/e2e/spells-history.test.ts: is held if state.json has another state, until a person accepts it",
        "test/e2e/spells-history.test.ts: is held if state.json has a step in its history that nobody took, until a person accepts it",
      ],
    },
    {
      takes: "the agreement of the log's last step with what follows from it",
      file: "src/runtime/run-log/step.ts",
      find: "hashOfStep(end.step) !== checkpoint.head || end.step.to !== checkpoint.state",
      replace: "checkpoint.head.length !== 64",
      tests: [
        "test/e2e/spells-history.test.ts: is held if the log leads elsewhere, until a person accepts it",
        "test/e2e/spells-history.test.ts: is held if the log's last step leads elsewhere, until a person accepts it",
      ],
    },
    {
      takes: "the agreement of the log's variables with the state's",
      file: "src/runtime/run-log/read.ts",
      find: "isSame(at, checkpoint)\n      ? []",
      replace: "isSame(at, at)\n      ? []",
      tests: [
        "test/e2e/spells-history.test.ts: is held if the log says of variables what the state does not, until a person accepts it",
      ],
    },
    {
      takes: "the look at all of the log",
      file: "src/runtime/run-log/replay.ts",
      find: "  const found = [chain, laws, documentFault(kind, lines, documents)];",
      replace:
        "  const found = [chain && null, documentFault(kind, [], documents.slice(laws === null ? 0 : 1))];",
      tests: [
        "test/e2e/alfred-history.test.ts: finds a step that was changed afterwards in the whole log",
        "test/e2e/signed-gates.proof.test.ts: signs nothing for a run whose log was changed before its last line",
        "test/e2e/custom-history.test.ts: is held if its log has a step that was changed after the next was made on it",
        "test/e2e/custom-history.test.ts: is held if its log has an approval that its table does not have there",
        "test/e2e/spells-history.test.ts: has no fault in a log of many casts, and an earlier line that was changed is found when all of it is looked at",
      ],
    },
    {
      takes: "the chain of steps",
      file: "src/runtime/run-log/replay.ts",
      find: "if (step.prev !== prev || step.seq !== seq)",
      replace: "if (step.prev === undefined && step.seq !== seq)",
      tests: ["src/runtime/run-log/replay.test.ts: are a chain: each is made on the hash of the one before"],
    },
    {
      takes: "the replay of a run's steps",
      file: "src/runtime/run-log/replay.ts",
      find: "isSame(after, leadsTo(table, before, step) ?? NOWHERE)",
      replace: "isSame(after, leadsTo(table, before, step) ?? after)",
      tests: ["src/runtime/run-log/replay.test.ts: do not lead on with a rule that is not there"],
    },
    {
      takes: "the comparison of where the steps lead",
      file: "src/runtime/run-log/replay.ts",
      find: "  if (isSame(end, recordedState)) return [];\n",
      replace: "  if (isSame(end, end)) return [];\n",
      tests: ["src/runtime/run-log/replay.test.ts: lead through the table to what their record says"],
    },
    {
      takes: "the law of a task's steps",
      file: "src/runtime/run-log/replay.ts",
      find: "    if (isFault(next)) return",
      replace: "    if (isFault(next) && documents.length === 0) return",
      tests: [
        "test/e2e/alfred-history.test.ts: finds a step that its table does not have in the whole log",
        "test/e2e/alfred-history.test.ts: finds a step with a verdict on something else in the whole log",
      ],
    },
    {
      takes: "the place of an older state in the log",
      file: "src/runtime/run-log/read.ts",
      find: "  if (earlier !== undefined && kind.returns) return [];",
      replace: "  if (earlier !== undefined) return [];",
      tests: [
        "test/e2e/alfred-history.test.ts: is held where an older file is put back, and goes on where it is put back as it was",
      ],
    },
  ],
  "A service never ends its answer": [
    {
      takes: "the count of bytes",
      file: "src/adapters/net/limits.ts",
      find: "    this.#left -= bytes;\n",
      replace: "    this.#left -= bytes > 1_000_000 ? bytes : 0;\n",
      tests: ["src/adapters/net/limits.test.ts: is cut off by the client of Linear"],
    },
    {
      takes: "the time that all requests have together",
      file: "src/adapters/net/limits.ts",
      find: "setTimeout(() => budget.late(), limits.milliseconds);",
      replace: "setTimeout(() => budget.close(), limits.milliseconds);",
      tests: [
        "src/adapters/net/limits.test.ts: is cut off by the clients of Jira and of Confluence, and the failure says why",
      ],
    },
  ],
  "A misspelled argument is lost": [
    {
      takes: "the refusal of unknown arguments",
      file: "src/surfaces/arguments.ts",
      find: "cached ?? input.strict()",
      replace: "cached ?? input.strip()",
      tests: [
        "test/e2e/mcp-arguments.test.ts: are refused if one is unknown, with the name that was probably meant, and nothing changes",
      ],
    },
    {
      takes: "the reason of a rejection",
      file: "src/workflows/alfred/tools/provide-review.ts",
      find: 'if (approved || notes.trim() !== "") return;',
      replace: "if (approved || notes.length < 1000) return;",
      tests: ["test/e2e/mcp-arguments.test.ts: refuses a rejection without a reason"],
    },
  ],
  "Faked evidence": [
    {
      takes: "the base that was noted when the task began",
      file: "src/adapters/git/tree.ts",
      find: 'if (base !== null && typeof base !== "string") return { ...base, isPinned: true };\n  const fork = await forkOf({ ...call, accept: [1, 128] }, base, "HEAD");',
      replace:
        'const name = base !== null && typeof base !== "string" ? base.branch : base;\n  const fork = await forkOf({ ...call, accept: [1, 128] }, name, "HEAD");',
      tests: [
        "src/adapters/git/tree.test.ts: update-ref: the base is the commit that it was, and a branch that moved is told",
        "test/e2e/alfred-hostile.proof.test.ts: moves the base branch",
      ],
    },
    {
      takes: "the git folder of Pawl's own",
      file: "src/adapters/git/tree.ts",
      find: "    GIT_DIR: folder,\n",
      replace: "    GIT_DIR: common,\n",
      tests: [
        "src/adapters/git/tree.test.ts: a clean filter",
        "src/adapters/git/tree.test.ts: info/attributes and core.attributesFile",
      ],
    },
    {
      takes: "the look at what other lists hide",
      file: "src/adapters/git/tree.ts",
      find: '        "--exclude-per-directory=.gitignore",\n',
      replace: '        "--exclude-standard",\n',
      tests: [
        "src/adapters/git/tree.test.ts: a file that only info/exclude hides: it is named, and no part of the tree",
        "test/e2e/alfred-hostile.proof.test.ts: writes a .npmrc that git does not see: it is named, and the check runs without it",
      ],
    },
    {
      takes: "the hash of a checkout before its use",
      file: "src/adapters/git/tree.ts",
      find: "    if (written !== tree)\n",
      replace: '    if (written === "")\n',
      tests: ["src/adapters/git/tree.test.ts: does not check out what only bears a tree's name"],
    },
    {
      takes: "the fresh checkout in which checks run",
      file: "src/adapters/checks/checks.ts",
      find: '!== "needed")\n    return { cwd, command };',
      replace: '!== "needed")\n    return { cwd: root, command };',
      tests: [
        "test/e2e/alfred-hostile.proof.test.ts: run in a fresh checkout of what was handed in, without ignored files, which is gone afterwards",
      ],
    },
    {
      takes: "the refusal of a report that nobody reviews and git differs from",
      file: "src/workflows/alfred/tools/submit-work.ts",
      find: "  if (finding === undefined) return;\n",
      replace: "  if (finding !== null) return;\n",
      tests: [
        "test/e2e/alfred-sizes.story.test.ts: a report that nobody reviews is not accepted if git differs from it",
      ],
    },
    {
      takes: "the place of this checkout outside of the project",
      file: "src/adapters/checks/checks.ts",
      find: "return join(workFolder(root, environment), ",
      replace: 'return join(root, ".pawl/checks", key, ',
      tests: [
        "src/adapters/checks/checks.test.ts: a checkout lies outside of the project: nothing of the person's is found above it, and nothing is left of it",
      ],
    },
    {
      takes: "the empty working folder",
      file: "src/adapters/git/diff.ts",
      find: "withScratch(gitCall, realpathSync(nothing), async",
      replace: "withScratch(gitCall, null, async",
      tests: [
        "src/adapters/git/diff.test.ts: are shown though attributes call the files binary or name a program to show them",
      ],
    },
    {
      takes: "the names that are no text",
      file: "src/adapters/git/diff.ts",
      find: "if (!path.includes(UNKNOWN)) return",
      replace: "if (path !== UNKNOWN) return",
      tests: [
        "src/adapters/git/diff.test.ts: of one path whose name is no text are found by the name that is shown",
      ],
    },
    {
      takes: "the links where git can tell no more",
      file: "src/adapters/git/shapes.ts",
      find: "headedIn(limited, checkedId(to), entries).catch(() => NONE)",
      replace: "headedIn(limited, checkedId(to), entries)",
      tests: [
        "src/adapters/git/shapes.test.ts: say where links lead among files of which git can tell no more",
      ],
    },
  ],
  "A moved branch, or a lost `.git`": [
    {
      takes: "the care for ignored files where the checkout follows",
      file: "src/adapters/git/merge.ts",
      find: '"--no-overwrite-ignore", ',
      replace: "",
      tests: [
        "src/adapters/git/workspace/worktrees.story.test.ts: puts no task's work in the place of a file that git ignores: the file itself",
      ],
    },
    {
      takes: "the look at branches when the agent has ended",
      file: "src/adapters/git/watch-checkout.ts",
      find: "movedBranches(branches, await branchesOf(call), paths);",
      replace: "movedBranches(branches, branches, paths);",
      tests: [
        "src/adapters/git/workspace/worktrees.story.test.ts: tells a branch that was moved, and not by a merge of Pawl's nor in a worktree of its",
      ],
    },
    {
      takes: "the commits that the target must lack",
      file: "src/workflows/bloom/commands/ensure-committed.ts",
      find: "if (target === undefined ? !isSame : unmerged !== 0) return null;",
      replace: "if (target === undefined ? !isSame : head !== null) return null;",
      tests: [
        "test/e2e/bloom-without-work.proof.test.ts: but moves the target itself is not merged by that, and the move is told",
      ],
    },
    {
      takes: "the look at whether the workspace is whole",
      file: "src/adapters/git/workspace/ensure.ts",
      find: "if (isKept && isWhole(top))",
      replace: "if (isKept)",
      tests: [
        "test/e2e/bloom-lost-worktree.proof.test.ts: is made anew; the person's checkout stays as it is, and the agent is told where its files are",
        "src/adapters/git/workspace/worktrees.story.test.ts: is set aside whole and made anew: it was removed",
      ],
    },
    {
      takes: "the look at what is in the place of `.git`",
      file: "src/adapters/git/workspace/whole.ts",
      find: 'folders.every((path) => kindIn(top, path) === "folder") && kindIn(top, ".git/HEAD") === "file"',
      replace: "folders.every((path) => kindIn(top, path) !== null)",
      tests: [
        "src/adapters/git/workspace/worktrees.story.test.ts: is set aside whole and made anew: it became a link to another",
      ],
    },
    {
      takes: "the refusal to remove what is no worktree any more",
      file: "src/adapters/git/workspace/remove.ts",
      find: "  if (there && !isWhole(folder))\n",
      replace: "  if (!there && !isWhole(folder))\n",
      tests: [
        "src/adapters/git/workspace/worktrees.story.test.ts: is never taken for the checkout around it, nor removed",
      ],
    },
  ],
  "One edit loosens the rules": [
    {
      takes: "the direction in which a list is tighter",
      file: "src/core/policy.ts",
      find: "if (GROWING.test(path)) return holds(now, before);",
      replace: "if (GROWING.test(path)) return Array.isArray(now);",
      tests: [
        'src/core/policy.test.ts: is loosened by task.verify: ["a","b"] → ["a","c"], which does not count',
      ],
    },
    {
      takes: "the policy of a task",
      file: "src/workflows/bloom/govern.ts",
      find: "return { task: taskBy(policy, task), policy, ignored: ignoredIn(pinned, present) };",
      replace: "return { task: taskBy(present, task), policy, ignored: ignoredIn(pinned, present) };",
      tests: ["test/e2e/policy.proof.test.ts: does not take its own verify away"],
    },
    {
      takes: "the checks of a task's criteria from its policy",
      file: "src/workflows/bloom/govern.ts",
      find: 'const criteria = ["task.acceptance_criteria", checkedIn(task)];',
      replace: 'const criteria = ["task.acceptance_criteria", checkedIn(task) && undefined];',
      tests: [
        "src/workflows/bloom/govern.test.ts: a criterion's check stands as it is pinned, whatever an agent makes of it in the file",
      ],
    },
    {
      takes: "what the loop saw before its agents could change it",
      file: "src/workflows/bloom/scheduler/pins.ts",
      find: "if (before === undefined || isPersons) seen.set",
      replace: "if (before === undefined || !isPersons || isPersons) seen.set",
      tests: ["test/e2e/policy.proof.test.ts: does not take another task's verify away"],
    },
    {
      takes: "the policy of the loop",
      file: "src/workflows/bloom/scheduler/pins.ts",
      find: "return settingsBy(effectivePolicy(base, present), settings);",
      replace: "return settingsBy(present, settings);",
      tests: ["test/e2e/policy.proof.test.ts: gets no more permission for the next task"],
    },
    {
      takes: "the policy of Alfred's task",
      file: "src/workflows/alfred/gate/govern.ts",
      find: "const policy = pinned === null ? present : effectivePolicy(pinned, present);",
      replace: "const policy = pinned === null ? present : { ...pinned, ...present };",
      tests: [
        "test/e2e/policy.proof.test.ts: does not take the person out of the gate, by the configuration",
      ],
    },
    {
      takes: "the hold of a run whose policy this machine does not have",
      file: "src/core/policy.ts",
      find: "if (named === undefined || named === present || kept.includes(named)) return;",
      replace: "if (named === undefined || present !== named || kept.includes(named)) return;",
      tests: [
        "test/e2e/policy.proof.test.ts: is held if the policy is not known on this machine, unless the files say the same or a person accepts them",
      ],
    },
    {
      takes: "the second look under the run's lock",
      file: "src/runtime/transaction/run-transaction.ts",
      find: '  if (plan.observe && pin && !(await store.holds(view))) return "changed";\n',
      replace: "",
      tests: [
        "test/e2e/policy-begin.test.ts: a process that had read the task before another began it goes by the other's policy, and does not put its own in its place",
      ],
    },
    {
      takes: "the comparison with the policy that was read",
      file: "src/runtime/transaction/run-transaction.ts",
      find: "  if (isAsRead) await policies?.keep(run, policy);\n  return isAsRead;",
      replace: "  await policies?.keep(run, policy);\n  return isAsRead || true;",
      tests: [
        "src/runtime/transaction/run-transaction.test.ts: keeps a policy right before the commit, and does all again if another was kept meanwhile",
      ],
    },
    {
      takes: "the difference between a missing file and one that cannot be read",
      file: "src/adapters/files/kept-by-run.ts",
      find: "if (isAbsence(thrown)) return none;",
      replace: "if (errnoOf(thrown) !== null) return none;",
      tests: [
        "src/adapters/policies/policies.test.ts: and is a folder is an error that names its file and what to do, never none",
        "test/e2e/policy.proof.test.ts: is held if the policy that was kept cannot be read",
      ],
    },
    {
      takes: "the difference between a missing file and a damaged one",
      file: "src/adapters/files/kept-by-run.ts",
      find: "if (fault === null) return kept;",
      replace: "if (fault === null || kept === null) return kept;",
      tests: [
        "src/adapters/policies/policies.test.ts: and is no JSON is an error that names its file and what to do, never none",
        "test/e2e/policy.proof.test.ts: is held if the policy that was kept is damaged",
      ],
    },
    {
      takes: "the hash of a stored policy",
      file: "src/adapters/files/kept-by-run.ts",
      find: "return kept.sha256 === hashOf(canonical(kept[key]))",
      replace: "return kept.sha256 !== undefined",
      tests: [
        "src/adapters/policies/policies.test.ts: and says another policy than its hash is an error that names its file and what to do, never none",
      ],
    },
  ],
  "One edit opens a gate": [
    {
      takes: "the hold of a run whose workflow was loosened",
      file: "src/workflows/custom/send.ts",
      find: "if (ignored.length > 0 && (run.order || isWanted(input))) throw heldRunError(run, ignored);",
      replace: "if (ignored.length > 0 && run.order) throw heldRunError(run, ignored);",
      tests: [
        "test/e2e/policy-own.test.ts: does not move if a gate is removed",
        "test/e2e/policy-own.test.ts: does not move over MCP either, and a look says why",
      ],
    },
    {
      takes: "the commands of rules in what is pinned",
      file: "src/workflows/custom/govern.ts",
      find: "rows.map(({ id, reply: _, ...row }) => [id, row]),",
      replace: "rows.map(({ id, reply: _, commands: __, ...row }) => [id, row]),",
      tests: ["test/e2e/policy-own.test.ts: does not move if a row's command is changed"],
    },
    {
      takes: "what a gate asks in what is pinned",
      file: "src/workflows/custom/govern.ts",
      find: "[event, { by, asks: events[event]?.description }]",
      replace: "[event, { by, asks: events[event] !== undefined }]",
      tests: ["test/e2e/policy-own.test.ts: does not move if what the gate asks is worded otherwise"],
    },
  ],
  "An edit marks work as done": [
    {
      takes: "the claim that a status is while an agent is at work",
      file: "src/workflows/bloom/run/persons-event.ts",
      find: 'return run.state === "done" || run.underway.length > 0 || mayBeClaim ? null : "dropped";',
      replace: 'return run.state === "done" ? null : "dropped";',
      tests: ["test/e2e/policy.proof.test.ts: does not make itself or another done by a status"],
    },
    {
      takes: "the look for what an agent has ended of other tasks",
      file: "src/workflows/bloom/scheduler/loop.ts",
      find: "  if (claims.length === 0) return false;",
      replace: "  if (claims.length >= 0) return false;",
      tests: [
        "test/e2e/policy.proof.test.ts: makes no other task done by a status, and nothing that depends on it begins",
        "test/e2e/policy.proof.test.ts: ends no step of another task, so that it is worked on and verified",
      ],
    },
    {
      takes: "what is kept for the next loop",
      file: "src/workflows/bloom/scheduler/claims.ts",
      find: "const before = await policies?.find(AT_WORK);",
      replace: "const before = null as Record<string, unknown> | null;",
      tests: [
        "src/workflows/bloom/scheduler/claims.test.ts: is a claim for the next loop, too, if this one was killed",
        "test/e2e/policy.proof.test.ts: makes no other task done after its loop was killed in the middle of its run",
      ],
    },
    {
      takes: "which status the log told",
      file: "src/workflows/bloom/ended-in-log.ts",
      find: "if (item.status === status) ended.add(item.id);",
      replace: "if (item.status !== OPEN) ended.add(item.id);",
      tests: [
        "src/workflows/bloom/scheduler/claims.test.ts: follows from the last event that tells of it, however many are behind",
        "test/e2e/own-agents.proof.test.ts: shares a loop with tasks, whose file its agents change without effect",
      ],
    },
    {
      takes: "the word that an agent of another workflow begins",
      file: "src/workflows/bloom/scheduler/loop.ts",
      find: "      pins.begin();\n      await tasks.taskClaims.begin();\n",
      replace: "",
      tests: [
        "test/e2e/own-agents.proof.test.ts: leaves a task as it was where the loop died beside its agent",
      ],
    },
  ],
  "An allowed command does more": [
    {
      takes: "the list of a git command's options",
      file: "src/adapters/agents/dialects/listed-commands.ts",
      find: "      if (!options.long.includes(name)) return false;\n",
      replace: "",
      tests: [
        "src/adapters/agents/dialects/acp-policy.test.ts: refuses git log --output=/home/ada/.bashrc",
        "src/adapters/agents/dialects/static-lists.proof.test.ts: refuses what begins so and is more, with what to do instead",
      ],
    },
    {
      takes: "the list of a git command's letters",
      file: "src/adapters/agents/dialects/listed-commands.ts",
      find: "    if (!short.includes(letter)) return null;\n",
      replace: "",
      tests: [
        "src/adapters/agents/dialects/acp-policy.test.ts: refuses git commit -qF x",
        "src/adapters/agents/dialects/acp-policy.test.ts: refuses git commit -t x",
      ],
    },
    {
      takes: "the signs that the shell reads in double quotes",
      file: "src/adapters/agents/dialects/listed-commands.ts",
      find: '.replace(/"([^"`$\\\\!]*)"/g, "")',
      replace: '.replace(/"([^"]*)"/g, "")',
      tests: ['src/adapters/agents/dialects/acp-policy.test.ts: refuses git commit -m "$(cat x)"'],
    },
    {
      takes: "the links on the way to an edit",
      file: "src/adapters/agents/dialects/acp-policy.ts",
      find: "const way = relative(realOf(folder), realOf(resolve(from, path)));",
      replace: "const way = relative(folder, resolve(from, path));",
      tests: [
        "src/adapters/agents/dialects/acp-policy.test.ts: refuses an edit of out/secret",
        "src/adapters/agents/dialects/acp-policy.test.ts: refuses git add out/secret",
      ],
    },
    {
      takes: "the links that lead nowhere yet",
      file: "src/adapters/agents/dialects/acp-policy.ts",
      find: '    if (isDangling(path)) return "/";\n',
      replace: "",
      tests: ["src/adapters/agents/dialects/acp-policy.test.ts: refuses an edit of dangling"],
    },
    {
      takes: "the options among paths that OpenCode must not allow",
      file: "src/adapters/agents/dialects/opencode.ts",
      find: '"{", " -"].map',
      replace: '"{"].map',
      tests: ['src/adapters/agents/dialects/static-lists.proof.test.ts: does not run "git add a -f .env"'],
    },
    {
      takes: "the options among paths that Gemini must not allow",
      file: "src/adapters/agents/dialects/gemini.ts",
      find: "[A-Za-z0-9_./][A-Za-z0-9_./ ]*",
      replace: "[A-Za-z0-9_./][A-Za-z0-9_./ -]*",
      tests: ['src/adapters/agents/dialects/static-lists.proof.test.ts: does not run "git add a -f .env"'],
    },
    {
      takes: "the first option that OpenCode must not allow",
      file: "src/adapters/agents/dialects/opencode.ts",
      find: " -*`);",
      replace: " --no-*`);",
      tests: ['src/adapters/agents/dialects/static-lists.proof.test.ts: does not run "git add -f .env"'],
    },
    {
      takes: "the first option that Gemini must not allow",
      file: "src/adapters/agents/dialects/gemini.ts",
      find: "} [A-Za-z0-9_./][A-Za-z0-9_./ ]*",
      replace: "} [A-Za-z0-9_./ -]*",
      tests: ['src/adapters/agents/dialects/static-lists.proof.test.ts: does not run "git add -f .env"'],
    },
  ],
  "A template reads files": [
    {
      takes: "the texts that a template may include",
      file: "src/runtime/template.ts",
      find: "new Liquid({ ...OPTIONS, ...dialect, templates: { ...partials }, cache: true });",
      replace: 'new Liquid({ ...OPTIONS, ...dialect, root: ".", cache: true });',
      tests: [
        "src/runtime/template.test.ts: reads no file of the project by `render`",
        "src/runtime/template.test.ts: reads no file of the project by `include`",
        "src/runtime/template.test.ts: reads no file of the project by `layout`",
      ],
    },
  ],
  "An agent breaks out": [
    {
      takes: "the wait for whoever works in the project's folder",
      file: "src/workflows/bloom/commands/deliver.ts",
      find: "  return context.takeRoot(() =>",
      replace:
        "  if (into !== '') return Promise.resolve({ what: '', abandoned: false, release: async () => {} });\n  return context.takeRoot(() =>",
      tests: [
        "src/workflows/bloom/scheduler/progress.test.ts: lets no checkout follow a merge while an agent works in the project's root, and then goes first",
      ],
    },
    {
      takes: "the devices of a wall's own",
      file: "src/adapters/wall/devices.ts",
      find: "if (process.getuid?.() !== 0) return [];",
      replace: "if (walls !== '') return [];",
      tests: [
        "src/adapters/wall/wall.story.test.ts: a mode that root sets on a device is not the machine's, and the devices work",
      ],
    },
    {
      takes: "the workspace's own top: a link in it decides what may be written",
      file: "src/adapters/wall/wall.ts",
      find: "{ agentPath: realOr(topOf(order.folder).agentPath) }",
      replace: "topOf({ agentPath: realOr(order.folder.agentPath) })",
      tests: [
        "src/adapters/wall/wall.story.test.ts: a link in the place of a workspace's package opens nothing outside",
      ],
    },
    {
      takes: "the links in protected places that show nothing hidden",
      file: "src/adapters/wall/wall.ts",
      find: ".filter(({ at }) => isOpen(at))",
      replace: ".filter(({ at }) => at !== root)",
      tests: [
        "src/adapters/wall/wall.story.test.ts: a link in a protected place shows nothing of what is hidden",
      ],
    },
    {
      takes: "the links in places of the project that the settings name, which open nothing outside",
      file: "src/adapters/wall/wall.ts",
      find: ".filter((path) => !leadsOut(path));",
      replace: ".filter((path) => !leadsOut(root) || path !== root);",
      tests: [
        "src/adapters/wall/wall.story.test.ts: a link in a place of the project that the settings name opens nothing outside",
      ],
    },
    {
      takes: "the check of the mounts from inside",
      file: "src/adapters/wall/wall.ts",
      find: "guarded.length > 0 ? startIfPlanned",
      replace: "guarded.length < 0 ? startIfPlanned",
      tests: [
        "src/adapters/wall/wall.story.test.ts: nothing starts behind a wall whose mounts another program has led elsewhere meanwhile",
      ],
    },
    {
      takes: "the process table of its own",
      file: "src/adapters/wall/arguments.ts",
      find: '  "--unshare-pid",\n',
      replace: "",
      tests: ["test/e2e/wall-escapes.story.test.ts: behind the wall an agent fails to see another process"],
    },
    {
      takes: "the project that is read-only",
      file: "src/adapters/wall/arguments.ts",
      find: '    { type: "read", at: root },\n',
      replace: '    { type: "write", at: root },\n',
      tests: [
        "test/e2e/wall-escapes.story.test.ts: behind the wall an agent fails to edit pawl.yaml",
        "test/e2e/wall-escapes.story.test.ts: behind the wall an agent fails to write tasks.yaml",
        "test/e2e/wall-escapes.story.test.ts: everything outside of its worktree and branch is as it was",
      ],
    },
    {
      takes: "the emptiness of Pawl's folder",
      file: "src/adapters/wall/arguments.ts",
      find: '    { type: "empty", at: state },\n',
      replace: "",
      tests: ["test/e2e/wall-escapes.story.test.ts: behind the wall an agent fails to read Pawl's logs"],
    },
    {
      takes: "the emptiness of what Pawl keeps outside",
      file: "src/adapters/wall/wall.ts",
      find: '    { type: "empty", at: state },\n',
      replace: "",
      tests: [
        "test/e2e/wall-escapes.story.test.ts: behind the wall an agent fails to see another task's workspace",
        "test/e2e/wall-escapes.story.test.ts: behind the wall an agent fails to read what Pawl keeps outside",
      ],
    },
    {
      takes: "the hiding of homes",
      file: "src/adapters/wall/homes.ts",
      find: "const homes = [homeOf(environment), listedHome() ?? undefined, ",
      replace: "const homes = [listedHome() ?? undefined, ",
      tests: [
        "src/adapters/wall/homes.test.ts: homes are hidden wherever they lie, and places for temporary files, but never the whole file system",
      ],
    },
    {
      takes: "the kernel's files that are read-only",
      file: "src/adapters/wall/wall.ts",
      find: "kernel: KERNEL.filter((path) => existsSync(path)),",
      replace: "kernel: [],",
      tests: [
        "test/e2e/wall-escapes.story.test.ts: behind the wall an agent fails to change the kernel's settings",
      ],
    },
  ],
  "Forged objects": [
    {
      takes: "git's checks of what comes in",
      file: "src/adapters/git/workspace/hand-in.ts",
      find: '...way, "--strict", ',
      replace: "...way, ",
      tests: [
        "src/adapters/git/workspace/hand-in.story.test.ts: takes no tree with .git: a folder named .git",
      ],
    },
    {
      takes: "the look whether a branch is at a commit",
      file: "src/adapters/git/workspace/hand-in.ts",
      find: "if ((await commitsOf(hub, commits)) === null)",
      replace: "if (commits.length === 0)",
      tests: [
        "src/adapters/git/workspace/hand-in.story.test.ts: lets nothing that is no commit stand for the branch",
      ],
    },
    {
      takes: "the look's own git folder",
      file: "src/adapters/git/state.ts",
      find: 'export GIT_OPTIONAL_LOCKS=1 GIT_DIR="$look" GIT_WORK_TREE="$PWD" GIT_INDEX_FILE="$look/index"',
      replace: "export GIT_OPTIONAL_LOCKS=1",
      tests: [
        "src/adapters/git/workspace/hand-in.story.test.ts: sees what is not committed, whatever the workspace's git folder says",
      ],
    },
    {
      takes: "the hub of objects that stay",
      file: "src/adapters/git/hub.ts",
      find: '  await linkAll(objects, join(draft, "objects"));\n  const alternates = alternatesOf(objects);\n',
      replace: "  const alternates = [objects, ...alternatesOf(objects)];\n",
      tests: [
        "src/adapters/git/workspace/hand-in.story.test.ts: keeps what a workspace borrows, whatever the person's repository does",
      ],
    },
    {
      takes: "the hub that is read-only",
      file: "src/adapters/wall/wall.ts",
      find: '...there("read", [join(dirname(folder), HUB), beside(top, GIT_CONFIG)]),',
      replace: '...there("write", [join(dirname(folder), HUB), beside(top, GIT_CONFIG)]),',
      tests: [
        "test/e2e/wall-escapes.story.test.ts: behind the wall an agent fails to move a branch of the hub",
        "test/e2e/wall-escapes.story.test.ts: behind the wall an agent fails to remove the hub's objects",
      ],
    },
    {
      takes: "the look at the room on the disk",
      file: "src/adapters/files/free-space.ts",
      find: "if (blocks === 0 || free - bytes >= RESERVE) return null;",
      replace: "if (blocks >= 0) return null;",
      tests: [
        "src/adapters/git/workspace/hand-in.story.test.ts: refuses commits for which the disk has no room, and leaves room for everything else",
      ],
    },
  ],
  "Settings that others run": [
    {
      takes: "the look whether another process has walls before a cover goes",
      file: "src/adapters/wall/covers.ts",
      find: "if (birthOf(Number(name)) !== null) return;",
      replace: "if (birthOf(Number(name)) !== null) break;",
      tests: [
        "src/adapters/wall/wall.story.test.ts: what covers a missing place goes with the last process that has a wall",
      ],
    },
    {
      takes: "the settings of an agent's program that are read-only",
      file: "src/adapters/wall/arguments.ts",
      find: '...read.filter(isHere).map((at) => ({ type: "read", at }) as const),',
      replace: '...read.filter(isHere).map((at) => ({ type: "write", at }) as const),',
      tests: [
        "src/adapters/wall/wall.story.test.ts: an agent's settings are read-only, its credentials are the person's own, and what is copied is copied afresh",
      ],
    },
    {
      takes: "the other home of commands that judge the work",
      file: "src/adapters/wall/wall.ts",
      find: "const store = order.agent === undefined ? null : openStore(root, folder);",
      replace: 'const store = order.program === "" ? null : openStore(root, folder);',
      tests: [
        "test/e2e/wall-work.proof.test.ts: does two steps in one session: commits, amends, looks, notes and marks by its own hand",
      ],
    },
    {
      takes: "the settings that are read-only in the project's own folder",
      file: "src/adapters/wall/wall.ts",
      find: "  ].filter(({ path }) => isOpen(join(root, path)));",
      replace: "  ].filter(({ path }) => isOpen(join(root, path)) && tasksFile.length < 0);",
      tests: [
        "test/e2e/wall-work.proof.test.ts: a task without a repository works in the project's folder, and Pawl's own files stay closed there",
      ],
    },
    {
      takes: "the mounts on the way to a protected place, which keep its folder's name",
      file: "src/adapters/wall/mask.ts",
      find: 'if (!isLast && !isLoose) way.push({ type: "write", at });',
      replace: 'if (!isLast && isLoose) way.push({ type: "write", at });',
      tests: [
        "src/adapters/wall/wall.story.test.ts: no other folder takes the place of the one with a protected place: a client's settings",
      ],
    },
    {
      takes: "the closed folder of a link to a protected place",
      file: "src/adapters/wall/mask.ts",
      find: 'const isOpen = above === folder || name === ".git" || isLoose;',
      replace: "const isOpen = isFolder || !isFolder;",
      tests: [
        "src/adapters/wall/wall.story.test.ts: a link to a protected place cannot be replaced: its folder is closed, or an agent refused",
      ],
    },
    {
      takes: "the closed dependencies where clients would start a Pawl that is not installed yet",
      file: "src/adapters/wall/mask.ts",
      find: 'includes("--package=pawl")',
      replace: 'includes("--package=pawl") && name === ""',
      tests: [
        "src/adapters/wall/wall.story.test.ts: no Pawl is planted if clients would start one that is not installed yet",
      ],
    },
  ],
  "A review of something else": [
    {
      takes: "the commit that a review is of",
      file: "src/verify/reviews.ts",
      find: "if (commit !== head) return",
      replace: "if (commit !== head && commit === login) return",
      tests: ["test/e2e/verify-forge.proof.test.ts: counts no review of an older commit"],
    },
    {
      takes: "the commits that a pull request must show",
      file: "src/verify/reviews.ts",
      find: "const hidden = commits.find(({ id }) => !shown.has(id));",
      replace: "const hidden = commits.find(({ id }) => !shown.has(id) && !shown.has(head));",
      tests: [
        "test/e2e/verify-forge.proof.test.ts: counts no review of a pull request that does not show the whole range",
      ],
    },
    {
      takes: "the change of the base after a review",
      file: "src/verify/reviews.ts",
      find: "if (moved !== null && Date.parse(time) <= Date.parse(moved))",
      replace: "if (moved !== null && Date.parse(time) > Date.parse(moved) + 1e12)",
      tests: [
        "test/e2e/verify-forge.proof.test.ts: counts no review from before base_ref_force_pushed, which was about another difference",
      ],
    },
    {
      takes: "the reviewers of the base",
      file: "src/verify/reviews.ts",
      find: "if (!reviewers.some(isOwn)) return",
      replace: "if (reviewers.length === 0) return",
      tests: [
        "test/e2e/verify-forge.proof.test.ts: counts no review of a login that the base does not list",
        "test/e2e/verify-forge.proof.test.ts: takes the reviewers from the base, never from the range",
      ],
    },
    {
      takes: "the reviewer who made the work",
      file: "src/verify/reviews.ts",
      find: "  if (made) return `made",
      replace: "  if (made && isOwn(author ?? login)) return `made",
      tests: ["test/e2e/verify-forge.proof.test.ts: counts no review of the author of a commit"],
    },
    {
      takes: "the reviewer who opened the pull request",
      file: "src/verify/reviews.ts",
      find: "if (author !== null && isOwn(author)) return",
      replace: "if (author === login) return",
      tests: ["test/e2e/verify-forge.proof.test.ts: counts no review of whom opened it"],
    },
  ],
  "A planted set-up of the guard": [
    {
      takes: "the look for handlers that only look like the guard",
      file: "src/surfaces/cli/guard/edit-setup.ts",
      find: "  const isMixed = hasLookAlike(tree, guardEntries, callerOf(clientFile));",
      replace:
        "  const isMixed = hasLookAlike(tree, guardEntries, callerOf(clientFile)) && guardEntries.length < 0;",
      tests: [
        "src/surfaces/cli/guard/edit-setup.test.ts: keep the guard from being whole beside it, and the guard takes the place of those that end like it",
      ],
    },
    {
      takes: "the comparison of a hook's lines with those that Pawl writes",
      file: "src/adapters/git/workspace/git-hooks.ts",
      find: 'if (text?.replace(SHELL_LINE, "").startsWith(lines)) return "whole";',
      replace: 'if (text?.includes(lines)) return "whole";',
      tests: [
        "test/e2e/guard-setup.proof.test.ts: starts nothing from git's hooks but the lines that Pawl writes",
      ],
    },
    {
      takes: "the look for a link in the place where a hook goes aside",
      file: "src/adapters/git/workspace/git-hooks.ts",
      find: "paths.flatMap((path) => [path, path + ASIDE]).find(isLink)",
      replace: "paths.find(isLink)",
      tests: [
        "test/e2e/guard-setup.proof.test.ts: are left alone if the place of a hook that has to go aside is taken, by a link or a file",
      ],
    },
  ],
  "An assistant goes around Pawl's tools": [
    {
      takes: "the refusal where the guard cannot start",
      file: "src/surfaces/cli/guard/setup.ts",
      find: "isClosed ? CLOSED : ",
      replace: 'isClosed ? "" : ',
      tests: [
        "src/surfaces/cli/guard/edit-setup.test.ts: a hook that codex would let through refuses if Pawl cannot start",
      ],
    },
    {
      takes: "the folder in which git's settings are",
      file: "src/guard/decide.ts",
      find: "startsFromHere(words, cwd, context) ? words : null",
      replace: "true ? words : null",
      tests: [
        "src/guard/decide.test.ts: is not on the short list if what it starts is decided outside of the project",
      ],
    },
    {
      takes: "what npx starts on the way to Pawl",
      file: "src/guard/protected-places.ts",
      find: '["pawl", "bloom", "sh", "node", "npx"]',
      replace: '["pawl", "bloom"]',
      tests: ["src/guard/decide.test.ts: is never what starts the guard: node_modules/.bin/sh"],
    },
    {
      takes: "the PATH of the wall's own script",
      file: "src/adapters/guard/shell-wall.ts",
      find: "\nPATH=$",
      replace: "\nunused=$",
      tests: [
        "src/adapters/guard/shell-wall.proof.test.ts: the project's programs, which the client's PATH has first, start no sooner than the command: open",
      ],
    },
    {
      takes: "the end of a command that began where more might be written",
      file: "src/adapters/guard/shell-wall.ts",
      find: "use.scope !== scope && use.scope !== NOTHING",
      replace: "use.scope === scope && use.scope !== NOTHING",
      tests: [
        "src/adapters/guard/shell-wall.proof.test.ts: a command ends when its session comes to where nothing may be written, and no other session's does",
      ],
    },
    {
      takes: "the look whether another command runs before a cover goes",
      file: "src/adapters/guard/shell-wall.ts",
      find: "2>/dev/null && return 1",
      replace: "2>/dev/null && break",
      tests: [
        "src/adapters/guard/shell-wall.proof.test.ts: a command that ends takes no cover away from another that runs",
      ],
    },
    {
      takes: "the channel of a call from the shell, which passes on nobody's word",
      file: "src/surfaces/cli/clients/call.ts",
      find: '  return caller.channel === "agent" ? caller : { ...caller, channel: "script" };\n',
      replace: '  return { ...caller, channel: "mcp" };\n',
      tests: [
        "test/e2e/call.proof.test.ts: comes from start to done under relay by `pawl call`, and a person's verdicts stay a person's",
      ],
    },
    {
      takes: "the protected places",
      file: "src/guard/decide.ts",
      find: "  const why = protectedAt(path, context);\n",
      replace: "  const why = limits === null ? null : protectedAt(path, context);\n",
      tests: [
        "test/e2e/guard-claude-code.story.test.ts: is refused from a folder outside of the project, too",
        "test/e2e/guard-clients.story.test.ts: of an agent of Pawl's own loop has no scope, and the protected places still hold",
      ],
    },
    {
      takes: "the closed wall around a command",
      file: "src/guard/decide.ts",
      find: 'return { allow: true, wall: "closed" };',
      replace: 'return { allow: true, wall: "open" };',
      tests: [
        "src/guard/decide.test.ts: that may write runs behind a wall if nothing may be written, or not at all",
      ],
    },
    {
      takes: "the read-only project behind the closed wall, where it lies among temporary files",
      file: "src/adapters/guard/shell-wall.ts",
      find: "    .filter((at) => isHidden(at) && existsSync(at))\n    .map(read);",
      replace:
        '    .filter((at) => isHidden(at) && existsSync(at))\n    .map((at): Mount => ({ type: "write", at }));',
      tests: ["src/adapters/guard/shell-wall.proof.test.ts: nothing writes a file of the project"],
    },
    {
      takes: "the filter against UNIX sockets",
      file: "src/adapters/wall/socket-filter.ts",
      find: "[EQUAL, 3, 4, AF_UNIX],",
      replace: "[EQUAL, 4, 4, AF_UNIX],",
      tests: [
        "src/adapters/guard/shell-wall.proof.test.ts: no server of this machine is reached, by its socket, its name or its port, and pairs of sockets work",
      ],
    },
    {
      takes: "the cover over a protected place that is missing",
      file: "src/adapters/wall/mask.ts",
      find: 'if (stats === undefined) return [...way, { type: "cover", at, isFolder: isFolder || !isLast }];',
      replace: "if (stats === undefined) return way;",
      tests: [
        "src/adapters/guard/shell-wall.proof.test.ts: what is missing of them cannot be made, and nothing is left of what covers it",
      ],
    },
    {
      takes: "the look for hard links",
      file: "src/services/guard/guard.ts",
      find: "if (!stats?.isFile() || stats.nlink < 2) return null;",
      replace: "if (!stats?.isFile() || stats.nlink > 0) return null;",
      tests: [
        "test/e2e/guard-claude-code.story.test.ts: is refused in every state, however its path is written",
      ],
    },
    {
      takes: "the hold where the files cannot be compared",
      file: "src/guard/out-of-scope-edits.ts",
      find: "  if (now.tree === null)\n",
      replace: "  if (now.tree === null) return null;\n  if (now.tree === null)\n",
      tests: [
        "src/guard/out-of-scope-edits.test.ts: holds the run if the files cannot be read, until a person accepts what is there",
      ],
    },
    {
      takes: "the links on the way",
      file: "src/guard/paths.ts",
      find: "return [plain, normal(real(plain)), normal(real(whole))];",
      replace: "return [plain, normal(whole)];",
      tests: [
        "test/e2e/guard-claude-code.story.test.ts: is refused in every state, however its path is written",
      ],
    },
    {
      takes: "letter case",
      file: "src/guard/protected-places.ts",
      find: "    .map(foldedName);",
      replace: "    .map((name) => name);",
      tests: [
        "test/e2e/guard-claude-code.story.test.ts: is refused in every state, however its path is written",
      ],
    },
    {
      takes: "the state's scope",
      file: "src/guard/decide.ts",
      find: 'if (writes === "worktree" && isWithin(path, context.checkout)) return ALLOWED;',
      replace: "if (isWithin(path, context.checkout)) return ALLOWED;",
      tests: [
        "test/e2e/guard-claude-code.story.test.ts: is refused with the run, its state and the next lawful step",
        "test/e2e/guard-claude-code.story.test.ts: is allowed as soon as the state allows it, and refused again in the next",
      ],
    },
    {
      takes: "a person's verbs",
      file: "src/guard/decide.ts",
      find: "  if (verb) return refusePersonVerb(verb, limits);",
      replace: "  if (verb && limits === null) return refusePersonVerb(verb, limits);",
      tests: [
        "test/e2e/guard-claude-code.story.test.ts: is refused to an assistant by any way to the program",
      ],
    },
    {
      takes: "the names of protected places in a command without a wall",
      file: "src/guard/decide.ts",
      find: "  return firstRefused([...new Set(names)], (name) => checkMention(name, cwd, limits, context));",
      replace:
        "  return firstRefused(names.slice(1, 1), (name) => checkMention(name, cwd, limits, context));",
      tests: ["test/e2e/guard-claude-code.story.test.ts: is refused to the shell as well"],
    },
    {
      takes: "what git may not do yet",
      file: "src/guard/decide.ts",
      find: "if (!scope.forbids.includes(act)) return ALLOWED;",
      replace: 'if (act === "commit" || !scope.forbids.includes(act)) return ALLOWED;',
      tests: ["test/e2e/guard-claude-code.story.test.ts: may not commit or push before the state allows it"],
    },
  ],
  "A stranger uses the board": [
    {
      takes: "the look at the Host",
      file: "src/surfaces/board/server/request-guards.ts",
      find: 'if (context.req.header("host") !== host())',
      replace: 'if (context.req.header("host") === "")',
      tests: ["test/e2e/board.proof.test.ts: refuses a request with another Host, whatever its cookie"],
    },
    {
      takes: "the look at the Origin",
      file: "src/surfaces/board/server/request-guards.ts",
      find: '(origin !== undefined && origin !== own) || (method === "POST" && origin === undefined)',
      replace: 'origin === "none"',
      tests: [
        "test/e2e/board.proof.test.ts: refuses a request with another page's Origin, whatever its cookie",
        "test/e2e/board.proof.test.ts: refuses a change without an Origin",
      ],
    },
    {
      takes: "the page's secret",
      file: "src/surfaces/board/server/request-guards.ts",
      find: "if (csrf === null || given === undefined || !isSame(given, csrf))",
      replace: "if (csrf === null || (given !== undefined && !isSame(csrf, csrf)))",
      tests: ["test/e2e/board.proof.test.ts: refuses a change without the page's secret"],
    },
    {
      takes: "the end of an address that was used",
      file: "src/surfaces/board/server/sessions.ts",
      find: "      invitations.delete(key);\n",
      replace: "",
      tests: [
        "test/e2e/board.proof.test.ts: opens one browser by its address, once, with a cookie that no script reads and no other site sends",
      ],
    },
    {
      takes: "the look for an agent behind a connection",
      file: "src/surfaces/board/server/request-guards.ts",
      find: "const agent = incoming ? agentBehind(incoming.socket) : null;",
      replace: "const agent = incoming ? null : agentBehind({});",
      tests: [
        "test/e2e/board.proof.test.ts: gets in neither by the address that it has read, nor with the cookie of the person's browser",
      ],
    },
    {
      takes: "the processes that hide what they hold",
      file: "src/adapters/process/peer.ts",
      find: "holders.length > 0 ? holders : closed.filter(isOwn)",
      replace: "holders.length > -1 ? holders : closed.filter(isOwn)",
      tests: [
        "src/adapters/process/peer.test.ts: a connection's process is found, even one that hides what it holds",
      ],
    },
    {
      takes: "that an agent's board only shows",
      file: "src/surfaces/cli/board.ts",
      find: "const readOnly = wanted === true || byAgent;",
      replace: "const readOnly = wanted === true;",
      tests: ["test/e2e/board.proof.test.ts: only shows, and nobody is led to it"],
    },
    {
      takes: "the token of the figures",
      file: "src/surfaces/board/server/request-guards.ts",
      find: "if (isKnown || hasSession)",
      replace: "if (given !== undefined || hasSession)",
      tests: [
        "test/e2e/seen-from-outside.proof.test.ts: are the figures as Prometheus reads them, for a session or a token of its own",
      ],
    },
    {
      takes: "the limit of connections that ask for nothing",
      file: "src/surfaces/limit-connections.ts",
      find: "if (silent.size > MAX_SILENT) oldest?.destroy();",
      replace: "if (oldest?.destroyed) oldest.destroy();",
      tests: [
        "src/surfaces/mcp/serve-http.test.ts: keeps room for its clients, however many connections strangers open, silent or with a request",
      ],
    },
    {
      takes: "the look at who asks",
      file: "src/surfaces/board/server/http.ts",
      find: "if (!admitted.has(socket) && !admits(socket)) return void socket.destroy();",
      replace: "if (!admitted.has(socket) && !admits(socket)) admitted.delete(socket);",
      tests: [
        "src/surfaces/board/server/http.test.ts: looks at a connection's peer only once it asks, since the look takes long and anyone can open connections",
      ],
    },
  ],
  "A stranger uses the board from a phone": [
    {
      takes: "the comparison of what the passkey proved with the verdict",
      file: "src/surfaces/board/server/devices/passkeys.ts",
      find: "return verified.purpose === canonical(purpose) && now() <= verified.until ? challenge : null;",
      replace: 'return purpose.for !== "registration" && now() <= verified.until ? challenge : null;',
      tests: [
        "test/browser/devices.proof.test.ts: counts an approval for exactly the verdict that was asked, once, and only of a verified person",
      ],
    },
    {
      takes: "the passkey that an approval needs",
      file: "src/runtime/transaction/device-gate.ts",
      find: "if (!verdict.approve) return proposal;",
      replace: "if (verdict.approve) return proposal;",
      tests: [
        "test/browser/devices.proof.test.ts: lets a device in by the QR code, once, without the right to approve",
      ],
    },
    {
      takes: "the end of a code that was used",
      file: "src/surfaces/board/server/devices/invitations.ts",
      find: "      used = present.hashes;\n      present = null;\n",
      replace: "",
      tests: [
        "src/surfaces/board/server/devices/invitations.test.ts: lets one in by the code or the token, once, as people type it",
      ],
    },
    {
      takes: "the limit on coming in",
      file: "src/surfaces/board/server/devices/admission.ts",
      find: 'if (!limit.take(peerOf(context) ?? ""))',
      replace: 'if (limit.take("") === null)',
      tests: [
        "test/e2e/devices.proof.test.ts: takes a code once, and no other, and stops who tries too often",
      ],
    },
    {
      takes: "the look for an agent behind a connection",
      file: "src/surfaces/board/server/request-guards.ts",
      find: "const agent = incoming ? agentBehind(incoming.socket) : null;",
      replace: "const agent = incoming ? null : agentBehind({});",
      tests: [
        "test/e2e/devices.proof.test.ts: lets in no agent, and puts its code nowhere but on the terminal",
      ],
    },
    {
      takes: "the refusal to serve a network without https",
      file: "src/surfaces/cli/board-listen.ts",
      find: "if (tls === null && !isLoopback(at.host)) throw unencryptedError(at.host);",
      replace: "if (tls === null && isLoopback(at.host)) return null;",
      tests: [
        "test/e2e/devices.proof.test.ts: serves https with the person's certificate, and no network without one",
      ],
    },
    {
      takes: "the look whether a device still has access",
      file: "src/adapters/devices/devices.ts",
      find: "return isDeepStrictEqual(loadDevice(stateHome, pathOf(device.id)), device);",
      replace: "return isDeepStrictEqual(device, device);",
      tests: ["test/browser/devices.proof.test.ts: takes a device's access at once, its open page included"],
    },
  ],
  "A record claims a verdict": [
    {
      takes: "the hold of a task of Alfred's that a record moves on",
      file: "src/workflows/alfred/state/resolve-run.ts",
      find: "if (elsewhere && NEXT_TOOL[state.task_status] !== null)",
      replace: "if (elsewhere && NEXT_TOOL[state.task_status] === null)",
      tests: [
        "test/e2e/team-alfred.proof.test.ts: is never moved by a record if there is a state of it, whatever the record claims",
      ],
    },
    {
      takes: "the look whether each step is made on the one before",
      file: "src/runtime/run-log/team-records.ts",
      find: "if (before && step.prev !== safeHash(path, before))",
      replace: "if (before && step.prev === undefined)",
      tests: ["src/runtime/run-log/team-records.test.ts: refuse one with a step that was edited"],
    },
    {
      takes: "the hold of a run that a record moves on",
      file: "src/workflows/custom/send.ts",
      find: "if (elsewhere && isWanted(input) && !isFinal(workflow, configuration.state))",
      replace: "if (elsewhere && !isWanted(input) && !isFinal(workflow, configuration.state))",
      tests: [
        "test/e2e/team-records.proof.test.ts: are never moved by a record, whatever it claims: no gate opens, nothing starts, and nothing more may be written",
      ],
    },
    {
      takes: "the hold of a task that others advanced",
      file: "src/workflows/bloom/run/shared.ts",
      find: "if ((runs.delete(task.id) || !isSet) && isOpen)",
      replace: "if (runs.delete(task.id) && isSet && isOpen)",
      tests: [
        "test/e2e/team-tasks.proof.test.ts: show their state, evidence and verdicts in a clone, and nobody begins or decides them there",
      ],
    },
  ],
  "A project sends notices": [
    {
      takes: "the person's agreement",
      file: "src/services/notices/send-notices.ts",
      find: ".filter((name) => isTrusted(noticeEntry(name, notify), record))",
      replace: ".filter((name) => record === record || name === null)",
      tests: [
        "test/e2e/notices.proof.test.ts: sends nothing and starts nothing before a person agrees to exactly its receivers",
      ],
    },
    {
      takes: "the address from what is agreed to",
      file: "src/core/trust.ts",
      find: "text: canonical({ [name]: value, for: kinds, quiet })",
      replace: "text: canonical({ [name]: value !== null, for: kinds, quiet })",
      tests: [
        "test/e2e/notices.proof.test.ts: whose pawl.yaml an agent edits redirects no notice; the receiver that was agreed to hears so, once",
      ],
    },
    {
      takes: "the last notice",
      file: "src/services/notices/send-notices.ts",
      find: "    ...agreedNotices(record, notify).map((agreed) => sendEnd(sending, agreed)),\n",
      replace: "",
      tests: [
        "test/e2e/notices.proof.test.ts: whose pawl.yaml an agent edits redirects no notice; the receiver that was agreed to hears so, once",
      ],
    },
    {
      takes: "the look at where the program is",
      file: "src/adapters/notify/command.ts",
      find: "!(isAbsolute(named) && isInside(path, root))",
      replace: "true",
      tests: [
        "test/e2e/notices.proof.test.ts: reach a program of one's own on standard input; it gets no secret, and no file of the project is one",
      ],
    },
  ],
  "A redirected or deceptive notice": [
    {
      takes: "the look at an address as it is written",
      file: "src/adapters/notify/post.ts",
      find: "if (isIP(host) !== 0 && !mayReach(host, isSecure)) throw",
      replace: "if (isIP(host) === 1) throw",
      tests: [
        "src/adapters/notify/post.test.ts: https://[::ffff:127.0.0.1]/path-of-a-secret is refused, wherever its name leads, and not shown",
        "test/e2e/notices.proof.test.ts: that redirects, fails, or is not this machine over http is said by its variable, never by its address",
      ],
    },
    {
      takes: "the look at where a name leads",
      file: "src/adapters/notify/post.ts",
      find: "else if (!addresses.every(({ address }) => mayReach(address, isSecure)))",
      replace: "else if (addresses.length === 0)",
      tests: [
        "src/adapters/notify/post.test.ts: https://localhost:9/path-of-a-secret is refused, wherever its name leads, and not shown",
      ],
    },
    {
      takes: "Discord's own list of the mentions that count",
      file: "src/adapters/notify/chats.ts",
      find: "allowed_mentions: { parse: [] }",
      replace: 'allowed_mentions: { parse: ["everyone"] }',
      tests: ["test/e2e/notices.proof.test.ts: mention nobody in Slack and Discord, and are no link there"],
    },
    {
      takes: "the escape of mentions",
      file: "src/adapters/notify/chats.ts",
      find: 'return text.replaceAll("@", "@\\u200b");',
      replace: "return text;",
      tests: ["test/e2e/notices.proof.test.ts: mention nobody in Slack and Discord, and are no link there"],
    },
    {
      takes: "the end of the options",
      file: "src/adapters/notify/desktop.ts",
      find: '"--app-name=Pawl", "--", title',
      replace: '"--app-name=Pawl", title',
      tests: ["test/e2e/notices.proof.test.ts: are one argument of the desktop's program, and run nothing"],
    },
    {
      takes: "the words' place beside the script",
      file: "src/adapters/notify/desktop.ts",
      find: "environment: { ...environment, PAWL_NOTICE_TITLE: title, PAWL_NOTICE_BODY: body },",
      replace: "environment: { ...environment, PAWL_NOTICE_TITLE: body },",
      tests: [
        "src/adapters/notify/desktop.test.ts: On Windows the words are variables of a script that stays the same",
      ],
    },
  ],
  "A model presses your buttons": [
    {
      takes: "the look at who shows apps",
      file: "src/surfaces/mcp/app/app.ts",
      find: "if (!showsApp(connection, context)) return notShown(name);",
      replace: "if (connection.app === null) return notShown(name);",
      tests: [
        "test/e2e/mcp-app.proof.test.ts: is there for one that shows apps, in no list of any other, and is not read by it",
      ],
    },
    {
      takes: "the look at the nonce",
      file: "src/surfaces/mcp/app/app.ts",
      find: "if (!nonces.take(nonce, reviewed)) throw spentNonceError(judged);",
      replace: 'if (nonce === "never") throw spentNonceError(judged);',
      tests: [
        "test/e2e/mcp-app.proof.test.ts: decides nothing without its nonce, with a used one, or with one of another run, version or connection",
      ],
    },
    {
      takes: "the end of a nonce that was used",
      file: "src/surfaces/mcp/app/nonces.ts",
      find: "      open.delete(nonce);\n      return known",
      replace: "      return known",
      tests: ["src/surfaces/mcp/app/nonces.test.ts: counts once"],
    },
    {
      takes: "the version of a nonce",
      file: "src/surfaces/mcp/app/nonces.ts",
      find: "known.run === run && known.version === version",
      replace: "known.run === run",
      tests: [
        "src/surfaces/mcp/app/nonces.test.ts: does not count for another version, and afterwards for none",
      ],
    },
    {
      takes: "the end of a nonce's time",
      file: "src/surfaces/mcp/app/nonces.ts",
      find: "&& now() < known.until",
      replace: "&& known.until > 0",
      tests: ["src/surfaces/mcp/app/nonces.test.ts: counts until its time is over"],
    },
    {
      takes: "the connection of a nonce",
      file: "src/surfaces/mcp/server.ts",
      find: 'era === "modern" && over === "http" ? shared : open()',
      replace: 'era === "modern" || over === "http" ? shared : open()',
      tests: [
        "test/e2e/mcp-app.proof.test.ts: counts over HTTP for the client that read the review, of 2025",
      ],
    },
    {
      takes: "the place of the nonce, apart from what a model reads",
      file: "src/surfaces/mcp/app/app.ts",
      find: 'structuredContent: { status: "success", message, ...data },',
      replace: 'structuredContent: { status: "success", message, nonce, ...data },',
      tests: ["test/e2e/mcp-app.proof.test.ts: never shows its nonce to a model, a log or a file"],
    },
    {
      takes: "the person's terminal, where a human review must be given there",
      file: "src/workflows/alfred/gate/review.ts",
      find: 'level: confirm ? stricter(level, "terminal") : level,',
      replace: 'level: confirm ? stricter(level, "any") : level,',
      tests: [
        "test/e2e/mcp-app.proof.test.ts: is no verdict in a terminal, if a task's human review must be one",
      ],
    },
    {
      takes: "the terminal of a human review that was raised after it was read",
      file: "src/workflows/alfred/tools/provide-review.ts",
      find: 'isRelayed || channel === "elicitation"',
      replace: "isRelayed",
      tests: [
        "test/e2e/mcp-app.proof.test.ts: is no verdict in a terminal, if a task's human review must be one",
      ],
    },
    {
      takes: "the look at which workflows are decided in a client",
      file: "src/surfaces/mcp/app/app.ts",
      find: "filter(([name]) => names.includes(name))",
      replace: "filter(([name]) => names.length >= 0 && name !== undefined)",
      tests: [
        "test/e2e/mcp-app.proof.test.ts: The app is about the runs of the served tools alone: tasks of agents are decided elsewhere",
      ],
    },
    {
      takes: "the document's own policy",
      file: "scripts/build-app.ts",
      find: "sourceOf(script)",
      replace: "\"'unsafe-inline'\"",
      tests: [
        "test/browser/app.proof.test.ts: lets nothing run that a text brings along, and shows what is invisible",
      ],
    },
  ],
  "A plugin starts a stranger's program": [
    {
      takes: "the look whether the program on the PATH is the project's",
      file: "scripts/clients/pawl.mjs",
      find: "!realpathSync(program).startsWith(project)",
      replace: "project !== program",
      tests: [
        "test/client-launcher.test.ts: never starts a program of the project, though the PATH leads there",
      ],
    },
  ],
  "Private words in telemetry": [
    {
      takes: "the question whether words may leave the machine",
      file: "src/adapters/telemetry/otlp-span.ts",
      find: "words === null || !withWords",
      replace: "words === null",
      tests: [
        "test/e2e/opentelemetry.proof.test.ts: gets each run as one trace, from every process that worked on it, and the figures",
      ],
    },
  ],
  "Others write to the database": [
    {
      takes: "the look at what may be exported",
      file: "src/surfaces/cli/database/shared-state.ts",
      find: "const foreign = [...state.keys()].find((path) => !isShared(path));",
      replace: "const foreign = [...state.keys()].find((path) => path.length === 0 && !isShared(path));",
      tests: [
        "test/e2e/database.proof.test.ts: brings no file to where Pawl keeps no state, whoever wrote it there",
      ],
    },
    {
      takes: "the environment without the database's address",
      file: "src/config/config.ts",
      find: "const secret = new Set([...notices, DATABASE_URL]);",
      replace: "const secret = new Set(notices.filter((name) => name !== DATABASE_URL));",
      tests: [
        "src/config/config.test.ts: agents and commands get no address of a database, whatever they are to get",
      ],
    },
    {
      takes: "the verified certificate",
      file: "src/adapters/postgres/address.ts",
      find: 'if (mode !== null && mode !== "verify-full")',
      replace: 'if (mode === "prefer")',
      tests: [
        "src/adapters/postgres/address.test.ts: postgres://ann:hush@db.example/pawl?sslmode=disable is refused, and its password never shown",
      ],
    },
  ],
  "A worker comes back late": [
    {
      takes: "the fence",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "    if not found then\n      outcome := 'fenced';",
      replace: "    if false then\n      outcome := 'fenced';",
      tests: [
        "src/adapters/postgres/postgres.story.test.ts: refuses every commit of a holder from whom it was taken, and lets the new holder's through",
      ],
    },
    {
      takes: "the commit's id",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "where c.project = p and c.id = commit_id;",
      replace: "where c.project = p and c.id = commit_id and false;",
      tests: [
        "src/adapters/postgres/postgres.story.test.ts: is known by its id: a second one with it changes nothing and says where the first was",
      ],
    },
    {
      takes: "the look at what was read",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "if base < present.revision and pawl.touched(p, base, reads, folders) then",
      replace: "if base > present.revision and pawl.touched(p, base, reads, folders) then",
      tests: ["test/store-conformance.story.test.ts: counts right when several count at once"],
    },
    {
      takes: "the remote's own look at the lease",
      file: "src/adapters/git/fence.ts",
      find: "    ...marks.map(({ next, ref }) => ",
      replace: '    ...marks.map(({ next, ref }) => "+" + ',
      tests: ["src/adapters/git/fence.proof.test.ts: changes nothing on the remote when it saves"],
    },
    {
      takes: "the work on the remote before a step is recorded",
      file: "src/workflows/bloom/commands/workspace-run.ts",
      find: "  const unsaved = await save(context, worktree);\n",
      replace: "  await context.takeCalls(id);\n  const unsaved = await save(context, worktree);\n",
      tests: [
        "src/workflows/bloom/scheduler/shared.test.ts: is recorded as done once the remote has its work, however long that takes, and no agent works twice",
        "src/workflows/bloom/scheduler/shared.test.ts: is not recorded if the remote refuses its work: the task is blocked, with the reason",
      ],
    },
    {
      takes: "the remote before this checkout, where a merge is published",
      file: "src/adapters/git/merge.ts",
      find: "  const sent = await publishThere(call, order,",
      replace:
        "  await publishHere(place, call, order, merge);\n  const sent = await publishThere(call, order,",
      tests: [
        "src/adapters/git/fence.proof.test.ts: goes to the remote first, together with both leases, whatever the order says; the checkout follows",
        "src/adapters/git/fence.proof.test.ts: is not made by one from whom the target was taken, and its own target stays if it is",
      ],
    },
    {
      takes: "the time to end the agent",
      file: "src/adapters/postgres/held-leases.ts",
      find: "const sure = (2 * lasting) / 3;",
      replace: "const sure = lasting;",
      tests: [
        "src/adapters/postgres/lease-manager.test.ts: is lost while nobody can take it yet, counted from when the last renewal was sent",
      ],
    },
    {
      takes: "the look at both clocks",
      file: "src/adapters/postgres/held-leases.ts",
      find: "if (isAstray || ",
      replace: "if (",
      tests: ["src/adapters/postgres/lease-manager.test.ts: has lost its leases: forward"],
    },
    {
      takes: "the time after which the process beside it acts",
      file: "src/app/loop-ports.ts",
      find: "  shared?.leaseManager.onProlonged?.(supervisor.endIn);\n",
      replace: "",
      tests: [
        "test/e2e/workers.proof.test.ts: because it stands still has its agent ended before another one begins",
      ],
    },
    {
      takes: "the end of the agent",
      file: "src/workflows/bloom/scheduler/work-on.ts",
      find: '  setup.stop.addEventListener("abort", interrupt);\n',
      replace: "",
      tests: [
        "src/workflows/bloom/scheduler/caps.test.ts: has its agent ended at once, and its worker goes on with it later, in the same session",
      ],
    },
  ],
  "A login exceeds its role": [
    {
      takes: "the look at each key that a worker writes of a task",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "      else pawl.progress_fault(pawl.parsed(given), coalesce(pawl.present(p, named), '{}'))",
      replace: "      else null",
      tests: [
        "src/adapters/postgres/roles.proof.test.ts: changes no key of a task but those that the work changes, and takes none away",
      ],
    },
    {
      takes: "the look at what a worker writes",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "  if pawl.role(p) = 'worker' then",
      replace: "  if pawl.role(p) = 'nobody' then",
      tests: [
        "src/adapters/postgres/roles.proof.test.ts: writes no verdict, wherever one is kept",
        "src/adapters/postgres/roles.proof.test.ts: carries on what a person decided, to the letter",
      ],
    },
    {
      takes: "the verdict's steps in a record",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "    select step from pawl.verdicts(next) step\n    except",
      replace: "    select step from pawl.verdicts(next) step where false\n    except",
      tests: ["src/adapters/postgres/roles.proof.test.ts: writes no verdict, wherever one is kept"],
    },
    {
      takes: "the comparison with the verdicts that there were",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "if coalesce(next->'verdicts', '[]') <> coalesce(before->'verdicts', '[]')",
      replace: "if coalesce(next->'verdicts', '[]') = '[1]'",
      tests: [
        "src/adapters/postgres/roles.proof.test.ts: writes no verdict, wherever one is kept",
        "src/adapters/postgres/roles.proof.test.ts: carries on what a person decided, to the letter",
      ],
    },
    {
      takes: "a new life's beginning without the approval of the last",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "        or named ~ '^\\\\.pawl/runs/' and pawl.present(p, named) is null\n",
      replace: "",
      tests: ["src/adapters/postgres/roles.proof.test.ts: carries on what a person decided, to the letter"],
    },
    {
      takes: "the tasks and settings from what a worker may not write",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "  if named !~ '^\\\\.(pawl|alfred/records/bloom)/' or named ~",
      replace: "  if named ~",
      tests: ["src/adapters/postgres/roles.proof.test.ts: writes no verdict, wherever one is kept"],
    },
    {
      takes: "an answer from what a worker may not write",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "if next->>'answer' is not null and",
      replace: "if false and",
      tests: ["src/adapters/postgres/roles.proof.test.ts: writes no verdict, wherever one is kept"],
    },
    {
      takes: "a verdict's events from what a worker may not write",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "event is null or event ? 'strength' or",
      replace: "event is null or",
      tests: ["src/adapters/postgres/roles.proof.test.ts: writes no verdict, wherever one is kept"],
    },
    {
      takes: "the log from what a worker may not empty",
      file: "src/adapters/postgres/workers-shape.ts",
      find: "if fault is null and emptied then",
      replace: "if fault is null and false then",
      tests: ["src/adapters/postgres/roles.proof.test.ts: writes no verdict, wherever one is kept"],
    },
    {
      takes: "row security",
      file: "src/adapters/postgres/workers-shape.ts",
      find: " enable row level security;",
      replace: " disable row level security;",
      tests: [
        "src/adapters/postgres/roles.proof.test.ts: without a role sees nothing, also if it was granted a table by mistake",
      ],
    },
    {
      takes: "the closing of Pawl's inner functions",
      file: "src/adapters/postgres/roles.ts",
      find: '  await query("revoke all on all functions in schema pawl from public");\n',
      replace: "",
      tests: [
        "src/adapters/postgres/roles.proof.test.ts: touches no table past Pawl's functions, whatever its role",
      ],
    },
  ],
};
