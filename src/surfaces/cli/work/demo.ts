import type { Run } from "../line/command.ts";
import { clean } from "../terminal/terminal.ts";

const FOLDER = "pawl-demo";
/** From the test's folder. */
const MODULE = "../src/price.mjs";

/** A shop with a price, a test, two tasks for Bloom and one for Alfred. */
const FILES: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
  "src/price.mjs": "export const price = (net) => net * 1.19;\n",
  "test/price.test.mjs": [
    'import { equal } from "node:assert";',
    'import { test } from "node:test";',
    `import { price } from ${JSON.stringify(MODULE)};`,
    "",
    'test("a price includes the tax", () => equal(price(100), 119));',
    "",
  ].join("\n"),
  "tasks.yaml": `# The lines that begin with RUN: and SAY: are for the scripted agent, which has no model. A real agent reads the rest.
tasks:
  - id: ROUND
    title: Round prices to cents
    repo: .
    agent: scripted
    merge_into: main
    verify: [npm test]
    instructions: |
      Let price() return whole cents, and test it.
      RUN: echo 'export const price = (net) => Math.round(net * 119) / 100;' > src/price.mjs
      RUN: git commit -qam "Round prices to cents"
  - id: SALE
    title: Sell at half the price
    repo: .
    agent: scripted
    merge_into: main
    verify: [npm test]
    instructions: |
      Add sale(), which is half of price().
      RUN: echo 'export const price = (net) => net / 2;' > src/price.mjs
      RUN: git commit -qam "Sell at half the price"
      SAY: All tests pass.
`,
  ".alfred/tasks/TS-01.md": `# TASK: TS-01

## Title
Refuse negative prices

## Context
A shop never pays its customers.

## Implementation Details
price() in src/price.mjs throws a RangeError if its net is below zero.

## Acceptance Criteria
- price(-1) throws a RangeError

## Size
light
`,
  ".gitignore": ".pawl/\n",
};

/** Makes a small real repository, to try the three workflows on. */
export const demo: Run = async (host, call) => {
  const { dir: folder = FOLDER } = call.arguments;
  const made = await host.machine.makeRepository(String(folder), FILES);
  const text = `Made ${clean(made)}: a small shop in git, with two tasks for Bloom (tasks.yaml) and one for Alfred (.alfred/tasks/TS-01.md).

Next:
  cd ${clean(String(folder))}
  ${host.name} init
`;
  return { text, data: { folder: made, files: Object.keys(FILES) } };
};
