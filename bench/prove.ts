/** The proof of the largest shipped table, and what a decision costs. Not measured: loading the table. */
import { WORKFLOWS } from "../src/workflows/index.ts";
import { largest, measureCheck } from "./check.ts";
import { ms, show } from "./measure.ts";

const tables = (
  await Promise.all(Object.values(WORKFLOWS).map(async (load) => (await load()).tables()))
).flat();
const table = largest(tables);
if (table) {
  const { workflow, counts, check, decision } = measureCheck(table);
  show(`check ${workflow} (${counts.rules} rules, ${counts.combinations} combinations)`, ms(check));
  show("one decision", `${decision.toFixed(1)} µs`);
}
