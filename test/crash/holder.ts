/** A process that holds a run's lock until it is ended: `node holder.ts ROOT RUN`; prints `held`. */
import { openStore } from "../../src/adapters/files/store.ts";

const [root = "", run = ""] = process.argv.slice(2);
await openStore({ root }).hold(run, async () => {
  process.stdout.write("held\n");
  await new Promise((resolve) => setTimeout(resolve, 600_000));
});
