import type { WorkflowModule } from "../../runtime/module.ts";
import { renderInstructions } from "./instructions.ts";

/** What a handshake says about the server. */
export interface About {
  readonly serverInfo: { readonly name: string; readonly title: string; readonly version: string };
  readonly capabilities: typeof CAPABILITIES;
  readonly instructions: string;
}

/** The lists of tools and prompts stay the same while the server runs; tasks come and go unannounced. */
const CAPABILITIES = {
  logging: {},
  completions: {},
  tools: { listChanged: false },
  prompts: { listChanged: false },
  resources: { listChanged: false, subscribe: true },
};

export function aboutServer(root: string, modules: readonly WorkflowModule[], version: string): About {
  return {
    serverInfo: { name: "pawl", title: "Pawl", version },
    capabilities: CAPABILITIES,
    instructions: renderInstructions(root, modules),
  };
}
