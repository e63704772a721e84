import type { Owned } from "../../runtime/module.ts";
import { configText, earlierConfigText, PROVIDERS } from "./initialize-project.ts";
import { EARLIER_IGNORES, PROJECT_IGNORES } from "./live-state.ts";
import { CONFIG, GITIGNORE } from "./paths.ts";

export const OWNED: Owned = {
  written: {
    [GITIGNORE]: (text) => text === PROJECT_IGNORES || text === EARLIER_IGNORES,
    [CONFIG]: (text) =>
      PROVIDERS.some((provider) => [configText(provider), earlierConfigText(provider)].includes(text)),
  },
  state: [".alfred/workspace", ".alfred/debug"],
  work: ["tasks", "records", "personas", "templates", "allowed_signers"].map((name) => `.alfred/${name}`),
};
