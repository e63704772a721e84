import type { WorkflowModule } from "../runtime/module.ts";
import alfred from "./alfred/module.ts";
import bloom from "./bloom/module.ts";
import spells from "./spells/module.ts";

/** The packaged workflows, by name. A module is small, because its parts are loaded when they are first used. */
export const WORKFLOWS: Readonly<Record<string, () => Promise<WorkflowModule>>> = {
  alfred: async () => alfred,
  spells: async () => spells,
  bloom: async () => bloom,
};
