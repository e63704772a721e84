import type { Requirement } from "./requirements.ts";

const PACKAGE = "test/package.slow.test.ts";

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
};
