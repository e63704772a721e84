/** Sends what a project has to tell: `send-notices ROOT HOME`, a program of its own that nobody waits for. */
import { setPriority } from "node:os";
import { readEnvironment } from "../../config/config.ts";
import { attempt } from "../../core/attempt.ts";

/** Whatever hangs, it ends; the next one goes on from there. */
const MOST_MILLISECONDS = 120_000;

const [root = "", home = ""] = process.argv.slice(2);
setTimeout(() => process.exit(1), MOST_MILLISECONDS).unref();
attempt(() => setPriority(10), undefined);
if (root !== "") {
  const { sendNotices } = await import("./send-notices.ts");
  await sendNotices({ root, home, environment: readEnvironment() });
}
