import type { Requirement } from "./requirements.ts";

const PACKAGE = "test/package.slow.test.ts";
const CLIENTS = "test/clients.test.ts";
const LAUNCHER = "test/client-launcher.test.ts";
const CALL = "test/e2e/call.slow.test.ts";
const BUNDLES = "test/bundles.slow.test.ts";

/** How Pawl reaches people and their clients. */
export const CLIENT_PACKAGES: Readonly<Record<string, Requirement>> = {
  "package.whole": {
    says: "The package installs alone, without a network, in less than 25 MB, with its pages and every licence, and starts by `npx --no pawl`.",
    source: "ecosystem, the package",
    tests: [
      `${PACKAGE}: installs alone, without a network, in less than 25 MB`,
      `${PACKAGE}: carries its pages, its licence, and the licence of everything that it brings`,
      `${PACKAGE}: is code that a person can read: an error shows a line, not a page`,
      `${PACKAGE}: lacks no part: every chunk loads, the trackers' and the forge's too`,
      `${PACKAGE}: starts as clients start it, by \`npx --no pawl mcp\``,
      `${PACKAGE}: is fetched from nowhere where a clone lacks it`,
    ],
  },
  "clients.shell": {
    says: "An assistant with a shell and no MCP walks every tool of every workflow by `pawl call`, from start to done; a person's verdict stays a person's.",
    source: "ecosystem, packages for clients (skills teach the whole workflow by CLI)",
    tests: [
      `${CALL}: comes from start to done under %s by \`pawl call\`, and a person's verdicts stay a person's`,
      `${CALL}: takes its arguments typed, from a file, and on standard input, with a BOM, too`,
      `${CALL}: shows what a tool takes, and calls nothing then`,
    ],
  },
  "clients.one-source": {
    says: "Every package for a client is written from what the workflows and the guard declare, in the version of the package, and what is committed is what would be written.",
    source: "docs/clients.md; ecosystem, packages for clients",
    tests: [
      `${CLIENTS}: are what their one source gives: run \`npm run build:clients\` after a change`,
      `${CLIENTS}: have one version and one name, the package's`,
      `${CLIENTS}: have a command for each prompt, and for each tool that leads a task`,
      `${CLIENTS}: teach each workflow by a skill whose head keeps to Agent Skills`,
      `${CLIENTS}: add to OpenCode's configuration, where what a person says of the same name counts`,
      `${CLIENTS}: keep to the closed form of Agent Plugins 1.0`,
      `${CLIENTS}: keeps to the lengths and the names that the registry takes`,
      `${CLIENTS}: install in Cursor and VS Code the entry that \`pawl init --client\` writes`,
    ],
  },
  "clients.own-program": {
    says: "A bundle starts the program that it brings, wherever a client copies it; no package starts a program of the project, or one that npx would fetch.",
    source: "docs/clients.md, With the program in it",
    tests: [
      `${CLIENTS}: start no package that npx would fetch, and name no path of a machine`,
      `${BUNDLES}: for a client's list of plugins starts its own program, wherever the client copies it, and writes nothing`,
      `${BUNDLES}: for OpenCode guards a project of Pawl's, and says nothing elsewhere`,
      `${BUNDLES}: takes no plugin's folder for a project, where the client names none`,
      `${BUNDLES}: for desktops is unpacked by others, and starts as its manifest says, in the project that a person chose`,
      `${LAUNCHER}: starts the one on the PATH`,
      `${LAUNCHER}: never starts a program of the project, though the PATH leads there`,
      `${LAUNCHER}: lets a client's hook through, since without the program there is no run to guard`,
    ],
  },
};
