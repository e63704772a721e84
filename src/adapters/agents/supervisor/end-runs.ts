/**
 * Ends the runs of a loop that is dead: `end-runs MARK`, a program of its own, started by the loop's supervisor. Every
 * process of the loop's runs bears the loop's mark beside its run's.
 */
import { endTree } from "../process-tree.ts";

const [mark = ""] = process.argv.slice(2);
if (mark !== "") await endTree({ mark });
