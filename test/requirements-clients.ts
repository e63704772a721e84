import type { Requirement } from "./requirements.ts";

/** How Pawl reaches people and their clients. */
export const CLIENT_PACKAGES = {
  "package.whole": {
    says: "The package installs alone, without a network, in less than 25 MB, with its pages and every licence, and starts by npx, also where the project has a program of that name.",
    source: "ecosystem, the package",
  },
  "clients.shell": {
    says: "An assistant with a shell and no MCP walks every tool of every workflow by `pawl call`, from start to done; a person's verdict stays a person's.",
    source: "ecosystem, packages for clients (skills teach the whole workflow by CLI)",
  },
  "clients.one-source": {
    says: "Every package for a client is written from what the workflows and the guard declare, in the version of the package, and what is committed is what would be written.",
    source: "docs/clients.md; ecosystem, packages for clients",
  },
  "clients.own-program": {
    says: "A bundle starts the program that it brings, wherever a client copies it; no package starts a program of the project, or one that npx would fetch.",
    source: "docs/clients.md, With the program in it",
  },
} satisfies Record<string, Requirement>;
