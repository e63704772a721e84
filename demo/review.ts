/** Chapter four: a pull request was reviewed; its comments become a task, and the task its archive. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeComment, GITHUB_TOKEN, GithubServer, review } from "../test/rig/github-server.ts";
import { type Assistant, connect, print, type Stage, section } from "./stage.ts";

export async function reviewRequest(stage: Stage): Promise<void> {
  stage.chapter("4. A pull request was reviewed: Reparo fetches what was said");
  print("  The pull request comes from a stand-in for GitHub, a server on this machine.\n");
  stage.git("checkout", "-q", "-b", "topic");
  const ids = (...range: readonly string[]) =>
    stage
      .git("rev-list", ...range)
      .trim()
      .split("\n");
  const [sha = ""] = ids("-1", "HEAD");
  const reviews = [review("ann", "CHANGES_REQUESTED", "Nearly there.")];
  await using forge = await GithubServer.open("demo/greeter", [
    {
      number: 7,
      title: "Greet by name",
      head: "demo:topic",
      sha,
      commits: ids("main..HEAD").map((id) => ({ sha: id, author: null, committer: null })),
      reviews,
      reviewComments: [
        codeComment(1, "An empty name should greet the world, too.", { path: "greet.js", line: 1 }),
      ],
    },
  ]);
  stage.git("remote", "set-url", "origin", `${forge.url}/demo/greeter.git`);
  stage.setVariables({ GITHUB_TOKEN, GITHUB_API_URL: forge.url });
  const file = (name: string, text: string) => writeFileSync(join(stage.folder, ".ai/task", name), text);

  const assistant = await connect(stage, "spells");
  await cast(stage, assistant, "accio");
  file("context.md", "# Greetings\n\nUsers want to be greeted by name.\n");
  await cast(stage, assistant, "accio");
  file("plan.md", "# Plan\n\n## Acceptance criteria\n\n- [ ] An empty name greets the world\n");
  await cast(stage, assistant, "reparo");
  await cast(stage, assistant, "accio");
  file("review-task.md", "# Review task\n\n- [ ] Treat an empty name as none\n");
  await cast(stage, assistant, "accio");
  file("review-task-results.md", "# Results\n\nAn empty name greets the world now.\n");
  await cast(stage, assistant, "accio");
  await assistant.close();
  await stage.tell("human", "pawl status", (await stage.pawl("status")).output);

  reviews.push(review("ann", "APPROVED", "", { commit_id: sha, submitted_at: "2026-01-03T00:00:00Z" }));
  await stage.tell("human", "ann approves the pull request after all, as it is");
  const { code, output } = await stage.pawl("verify", "main..topic", "--forge");
  await stage.tell("pawl", "pawl verify main..topic --forge", output);
  if (code !== 0) throw new Error(`The result of the demo should be verified, but is not:\n${output}`);
}

async function cast(stage: Stage, assistant: Assistant, spell: string): Promise<void> {
  const { message, text } = await assistant.cast(spell);
  await stage.tell("assistant", spell, section(text, "What Just Happened") || message);
}
