import { seedOfCommit } from "./random-cases.ts";
import { useScratchStateHome } from "./state-home.ts";

/** What every test relies on: a state home that is nobody's, and the commit's seed for random cases. */
export default function setup(): void {
  process.once("exit", useScratchStateHome());
  process.env.PAWL_TEST_SEED ??= seedOfCommit(import.meta.dirname);
}
