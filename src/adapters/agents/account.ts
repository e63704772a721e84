/**
 * Tells the accounts of an agent apart: by the keys that it gets from the environment, or else by the login that its
 * program keeps. Only hashes leave this file.
 */
import { readFileSync } from "node:fs";
import { attempt } from "../../core/attempt.ts";
import { hashOf } from "../../core/hash.ts";
import { allowedEnvironment, type Environment } from "../process/environment.ts";
import { textAt } from "./dialects/dialect.ts";
import { type AgentsSetup, type KnownAgent, knownAgent, programOf } from "./setup.ts";

/** Null: the account is unknown, or the agent is not installed. */
export function accountOf(setup: AgentsSetup, name: string): string | null {
  const agent = knownAgent(setup, name);
  if (agent.kind === "none" || programOf(setup, agent).why !== null) return null;
  const account = keysOf(setup.environment, agent) ?? loginOf(setup.environment, agent);
  return account === null ? null : hashOf(account).slice(0, 16);
}

/** The keys, and the addresses for which they count. */
const KEYS = /(?:KEY|TOKEN)$/;
const KEYS_OR_PLACES = /(?:KEY|TOKEN|BASE_URL)$/;

type StartableAgent = Exclude<KnownAgent, { kind: "none" }>;

function keysOf(environment: Environment, agent: StartableAgent): string | null {
  const passes = agent.kind === "acp" ? (agent.settings.environment ?? []) : agent.dialect.passes;
  const given = Object.entries(allowedEnvironment(environment, passes)).filter(([name]) =>
    KEYS_OR_PLACES.test(name),
  );
  return given.some(([name]) => KEYS.test(name)) ? JSON.stringify(given.sort()) : null;
}

function loginOf(environment: Environment, agent: StartableAgent): string | null {
  const [file, ...path] = (agent.kind === "dialect" && agent.dialect.login?.(environment)) || [""];
  if (file === "") return null;
  const login = attempt((): unknown => JSON.parse(readFileSync(file, "utf8")), null);
  return textAt(login, ...path) || null;
}
