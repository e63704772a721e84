/**
 * `npm run demo`: the whole road, on a real git repository in a temporary folder, with the real server, a real client
 * and the scripted agent in place of a model. It needs no key and no network. `--fast` does not pause between lines;
 * `--agent claude` and so on has the tasks done by a real agent. `--trust` plays what stops an agent instead, `--team` several
 * machines.
 */
import { settingsOf, tryAgent } from "./agent.ts";
import { runLoop } from "./loop.ts";
import { type DemoOptions, parseOptions, USAGE } from "./options.ts";
import { planTask } from "./plan.ts";
import { reviewRequest } from "./review.ts";
import { openStage, print, write } from "./stage.ts";
import { startTask } from "./start-task.ts";
import { playTrust } from "./trust/play.ts";

/** Gives the exit code. */
async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), process.stdout.isTTY === true);
  if (typeof options === "string") {
    process.stderr.write(`demo: ${options}\n\n${USAGE}`);
    return 2;
  }
  if (options.help) {
    print(USAGE);
    return 0;
  }
  if (options.team) return (await import("./team/play.ts")).playTeam(options.fast);
  return options.trust ? playTrust(options.fast) : play(options);
}

async function play({ fast, agent }: DemoOptions): Promise<number> {
  const stage = openStage({ fast, agent: agent.name });

  write(stage, "greet.js", 'console.log("Hello, world!");\n');
  write(stage, "package.json", '{ "name": "greeter", "type": "module" }\n');
  write(
    stage,
    "pawl.yaml",
    `alfred:\n  reviews: {plan_task: [ai], implement_task: [human]}\n  checks: {test: node --test}\nverify: {reviewers: [ann]}\n${settingsOf(agent)}`,
  );
  write(stage, ".gitignore", ".alfred/\n.ai/\n.pawl/\ntasks.yaml\n");
  stage.git("init", "-q", "-b", "main");
  stage.git("config", "user.name", "Demo");
  stage.git("config", "user.email", "demo@example.invalid");
  stage.git("add", ".");
  stage.git("commit", "-q", "-m", "Say hello");
  stage.git("init", "-q", "--bare", "-b", "main", stage.remote);
  stage.git("remote", "add", "origin", stage.remote);
  stage.git("push", "-q", "-u", "origin", "main");

  print("Pawl keeps coding agents on a written workflow, and nothing slips back.");
  print(`The project is a real git repository with a remote:\n  ${stage.folder}`);
  await stage.trust();
  if (!(await tryAgent(stage, agent))) {
    stage.remove();
    return 1;
  }
  await startTask(stage);
  await planTask(stage);
  await runLoop(stage);
  await reviewRequest(stage);

  stage.chapter("What happened, from one stream of events (pawl log)");
  print((await stage.pawl("log")).output.trimEnd().split("\n").slice(-14).join("\n"));
  print(`\nThe project stays for looking around:

  cd ${stage.folder}
  cat .alfred/workspace/TS-01/scratchpad.md     every accepted artifact
  git log --graph --oneline --all               what the agents merged
  cat tasks.yaml                                the tasks, in your own format

You are on the branch topic there: chapter 4 made it for its pull request, from
feature/TS-01, into which the agents' work was merged.

With the program on your PATH (npm link): pawl status, pawl show alfred:TS-01,
pawl lumos, pawl log.

Several machines over one backlog: npm run demo -- --team
What stops an agent that lies, approves itself, overspends or leaves its
workspace is shown by: npm run demo -- --trust`);
  return 0;
}

process.exitCode = await main().catch((thrown: Error) => {
  process.stderr.write(`demo: ${thrown.message}\n`);
  return 1;
});
