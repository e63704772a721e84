/** A process that holds a run's lock until it is ended: `node holder.ts ROOT RUN`; prints `held`. */
import { openStore } from "../../src/adapters/files/store.ts";
import { stateOf } from "../rig/state-home.ts";

const [root = "", run = ""] = process.argv.slice(2);
await using _lock = await openStore({ root, state: stateOf(root) }).hold(run);
process.stdout.write("held\n");
await new Promise((resolve) => setTimeout(resolve, 600_000));
