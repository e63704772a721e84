import { resolve } from "node:path";
import { seedOfCommit } from "./random-cases.ts";
import { useScratchStateHome } from "./state-home.ts";

/** What every test relies on: a state home that is nobody's, and the commit's seed for random cases. */
export default function setup(): void {
  process.once("exit", useScratchStateHome());
  // The rig's programs are started thousands of times: Node keeps their compiled code beside them.
  process.env.NODE_COMPILE_CACHE = resolve(import.meta.dirname, "../../.rig/compiled");
  process.env.PAWL_TEST_SEED ??= seedOfCommit(import.meta.dirname);
}
