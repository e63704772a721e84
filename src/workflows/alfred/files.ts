import type { ProjectFiles } from "../../runtime/module.ts";
import { PROJECT_IGNORES } from "./state/live-state.ts";
import { CONFIG, GITIGNORE } from "./state/paths.ts";
import { configText, init, PROVIDERS } from "./tools/initialize-project.ts";

export const FILES: ProjectFiles = {
  init,
  written: {
    [GITIGNORE]: (text) => text === PROJECT_IGNORES,
    [CONFIG]: (text) => PROVIDERS.some((provider) => configText(provider) === text),
  },
  state: [".alfred/workspace", ".alfred/debug"],
  work: ["tasks", "records", "personas", "templates", "allowed_signers"].map((name) => `.alfred/${name}`),
};
