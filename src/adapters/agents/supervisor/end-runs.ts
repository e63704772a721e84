/**
 * Ends the runs of a dead loop: `end-runs MARK`, a separate program that the loop's supervisor starts. Every process of
 * the loop's runs has the loop's tag beside its run's.
 */
import { endTree } from "../process-tree.ts";

const [mark = ""] = process.argv.slice(2);
if (mark !== "") await endTree({ mark });
