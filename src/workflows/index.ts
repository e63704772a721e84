import type { WorkflowModule } from "./module.ts";

/** The shipped workflows, by name, each loaded when it is first used. */
export const WORKFLOWS: Readonly<Record<string, () => Promise<WorkflowModule>>> = {
  alfred: async () => (await import("./alfred/module.ts")).default,
  spells: async () => (await import("./spells/module.ts")).default,
  bloom: async () => (await import("./bloom/module.ts")).default,
};
