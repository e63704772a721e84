/**
 * Which cases properties try: the same for everybody who tests one commit, others for the next commit. So what passed
 * before a commit is handed over passes after it. `PAWL_TEST_SEED=N npm test` tries others.
 */
import { execFileSync } from "node:child_process";
import fc from "fast-check";

const seed = Number(process.env.PAWL_TEST_SEED);
if (Number.isSafeInteger(seed)) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

/** Without a repository, as in an unpacked archive, one of its own. */
export function seedOfCommit(folder: string): string {
  try {
    const output = execFileSync("git", ["rev-parse", "HEAD"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return String(Number.parseInt(output.toString().slice(0, 7), 16));
  } catch {
    return "1";
  }
}
