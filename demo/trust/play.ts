/**
 * `npm run demo -- --trust`: what an agent that does not keep to the rule may try, and what stops it. Every line about an
 * attempt is printed from what was seen after it; if one comes through, the demo ends with 1.
 */
import { styleText } from "node:util";
import { probe } from "../../src/adapters/wall/probe.ts";
import { print } from "../stage.ts";
import { approvesOn, openApproves } from "./approves.ts";
import type { Outcome } from "./attempt.ts";
import type { AttemptProject } from "./attempt-project.ts";
import { liesOn, openLies } from "./lies.ts";
import { editOutOfScope, openEditsOutOfScope } from "./out-of-scope-edits.ts";
import { openOverspends, overspendsOn } from "./overspends.ts";

interface Demonstration {
  readonly title: string;
  readonly says: string;
  open(fast: boolean): Promise<AttemptProject>;
  play(project: AttemptProject): Promise<void>;
}

const DEMONSTRATIONS: readonly Demonstration[] = [
  {
    title: "1. An agent that lies about its tests",
    says: "It reports to Alfred's gate, and to Bloom's loop. Nobody believes a report.",
    open: openLies,
    play: liesOn,
  },
  {
    title: "2. An agent that approves itself",
    says: "It works with your rights in your own checkout, without a wall around it.",
    open: openApproves,
    play: approvesOn,
  },
  {
    title: "3. An agent that loops and overspends its budget",
    says: "It works in Bloom's loop, which counts its calls and its minutes as it goes.",
    open: openOverspends,
    play: overspendsOn,
  },
  {
    title: "4. An agent that works outside of its workspace",
    says: "It works in Bloom's loop, on a branch in a workspace of its own.",
    open: openEditsOutOfScope,
    play: editOutOfScope,
  },
];

/** Gives the exit code. */
export async function playTrust(fast: boolean): Promise<number> {
  print("What an agent may try, and what stops it. Everything here is done for real:");
  print("git repositories, processes, Pawl's server, its commands and its loop. In");
  print("place of a model a script obeys, so that each attempt is certainly made.");
  print("");
  print(wallHere());
  const outcomes: Outcome[] = [];
  const left: string[] = [];
  for (const { title, says, open, play } of DEMONSTRATIONS) {
    print(`\n${styleText("bold", title)}`);
    print(says);
    const project = await open(fast);
    await play(project);
    outcomes.push(...project.outcomes);
    left.push(...project.open);
    if (!project.outcomes.some(({ isFault }) => isFault)) project.remove();
    else print(`\n  Its project stays for looking around:\n  ${project.folder}`);
  }
  sumUp(outcomes);
  if (left.length > 0) print(`Open for want of a wall, and not tried: ${left.join(", ")}.`);
  return outcomes.some(({ isFault }) => isFault) ? 1 : 0;
}

function wallHere(): string {
  const probed = probe(process.env);
  if (probed.program !== null) return "The loop's agents work behind a wall here: bubblewrap.";
  return `There is no wall here: ${probed.why}.
What it would prevent is reported instead, where it says "reported".`;
}

function sumUp(outcomes: readonly Outcome[]): void {
  const attempts = outcomes.filter(({ isHonest }) => !isHonest);
  const stopped = attempts.filter(({ isFault }) => !isFault);
  const reported = stopped.filter(({ onlyReported }) => onlyReported).length;
  print(`\n${styleText("bold", "Which layer caught how many")}\n`);
  for (const layer of new Set(stopped.map((each) => each.layer))) {
    const count = stopped.filter((each) => each.layer === layer).length;
    print(`  ${layer.padEnd(22)}${String(count).padStart(3)}`);
  }
  const told = reported > 0 ? `, ${reported} reported` : "";
  print(
    `\n${attempts.length} attempts: ${stopped.length - reported} prevented${told}, ${attempts.length - stopped.length} came through.`,
  );
  const honest = outcomes.filter(({ isHonest }) => isHonest);
  print(`Honest work: ${honest.filter(({ isFault }) => !isFault).length} of ${honest.length} passed.`);
}
