/**
 * `npm run demo`: the product at work, on a real git repository in a temporary folder, with the real server. It needs
 * no key and no network. `--fast` does not pause between the lines.
 */
import { openStage, print, write } from "./stage.ts";
import { startTask } from "./start-task.ts";

const stage = openStage({ fast: process.argv.includes("--fast") || !process.stdout.isTTY });

stage.git("init", "-q", "-b", "main");
stage.git("config", "user.name", "Demo");
stage.git("config", "user.email", "demo@example.invalid");
write(stage, "greet.js", 'console.log("Hello, world!");\n');
stage.git("add", ".");
stage.git("commit", "-q", "-m", "Say hello");

print("Pawl keeps coding agents on a written workflow, and nothing slips back.");
print(`The project is a real git repository: ${stage.folder}`);
await startTask(stage);
print(`\nLook around in ${stage.folder}: .alfred/workspace/TS-01/ holds the state and the scratchpad.`);
