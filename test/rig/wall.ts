/** For tests that need the wall itself: where bubblewrap cannot build it they are skipped, by name; in CI they fail. */
import { probe } from "../../src/adapters/wall/probe.ts";

export const NO_WALL = probe(process.env).program === null && !process.env.CI;
