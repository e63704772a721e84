/**
 * The scripted agent: a real program with claude's stream, which executes the lines of its prompt, without a
 * model.
 */
import { join } from "node:path";
import { claude } from "./claude.ts";
import { type Dialect, sessionArguments } from "./dialect.ts";

/** It has no login, and no version of its own. */
const { login: _, newest: __, ...likeClaude } = claude;

export const scripted: Dialect = {
  ...likeClaude,
  name: "scripted",
  program: "pawl-scripted-agent",
  version: /\(scripted agent\)/,
  passes: ["PAWL_SCRIPTED_*"],
  arguments: (call) => ["--permission-mode", call.permission, ...sessionArguments(call)],
  // It ignores limits and needs no permission.
  needsHelp: () => false,
  environment: () => ({}),
  hosts: () => [],
  home: ({ HOME = "", PAWL_SCRIPTED_HOME: named }) => [
    { at: named || join(HOME, ".pawl-scripted"), read: [], write: [], copy: [] },
  ],
};
