/** The clients whose hooks the guard speaks. Each is loaded only when it calls. */
import type { GuardedClient } from "../../guard/clients.ts";
import type { Dialect } from "./dialect.ts";

export const DIALECTS: Readonly<Record<GuardedClient, () => Promise<Dialect>>> = {
  "claude-code": async () => (await import("./claude-code.ts")).claudeCode,
};
