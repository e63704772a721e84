/** Sends a project's notices: `send-notices ROOT HOME`, a separate program for which no process waits. */
import { setPriority } from "node:os";
import { readEnvironment } from "../config/config.ts";
import { attempt } from "../core/attempt.ts";

/** A limit for everything; the next process continues. */
const MAX_MILLISECONDS = 120_000;

const [root = "", home = ""] = process.argv.slice(2);
setTimeout(() => process.exit(1), MAX_MILLISECONDS).unref();
attempt(() => setPriority(10), undefined);
if (root !== "") {
  const [{ sendNotices }, { withProject }] = await Promise.all([
    import("../services/notices/send-notices.ts"),
    import("./with-project.ts"),
  ]);
  await sendNotices({ root, home, environment: readEnvironment() }, withProject);
}
