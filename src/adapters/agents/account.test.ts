import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryProject } from "../../../test/rig/project.ts";
import { promise } from "../../../test/rig/promise.ts";
import type { AgentSettings } from "../../core/settings.ts";
import { accountOf } from "./account.ts";

function machine(more: Readonly<Record<string, string>> = {}, agents: Record<string, AgentSettings> = {}) {
  const project = temporaryProject();
  const [bin, home] = ["bin", "home"].map((name) => join(project.root, name)) as [string, string];
  for (const folder of [bin, home]) mkdirSync(folder);
  for (const name of ["claude", "codex"]) {
    writeFileSync(join(bin, name), "#!/bin/sh\n");
    chmodSync(join(bin, name), 0o755);
  }
  return {
    login(file: string, login: unknown) {
      mkdirSync(join(home, file, ".."), { recursive: true });
      writeFileSync(join(home, file), JSON.stringify(login));
    },
    account: (name = "claude") =>
      accountOf(
        {
          ...{ projectRoot: project.root, stateFolder: project.root, agents },
          environment: { HOME: home, PATH: bin, ...more },
        },
        name,
      ),
    [Symbol.dispose]: project[Symbol.dispose],
  };
}

const KEY = "sk-ant-0123456789";

describe("An agent's account", () => {
  it("is told by its key, without the key, and is the same one on each machine", () => {
    promise("agents.one-record");
    using one = machine({ ANTHROPIC_API_KEY: KEY });
    using two = machine({ ANTHROPIC_API_KEY: KEY, CLAUDE_CODE_MAX_RETRIES: "1", HISTSIZE: "9" });
    using other = machine({ ANTHROPIC_API_KEY: `${KEY}0` });
    using elsewhere = machine({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: "http://127.0.0.1:1" });
    const [first, ...more] = [one, two, other, elsewhere].map((each) => each.account());
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(more[0]).toBe(first);
    expect(new Set([first, more[1], more[2]]).size).toBe(3);
  });

  it("is identified by its login if it has no key, also after the login was renewed", () => {
    promise("agents.one-record");
    using one = machine();
    expect(one.account()).toBeNull();
    one.login(".claude.json", { oauthAccount: { accountUuid: "a" }, numStartups: 1 });
    one.login(".codex/auth.json", { tokens: { account_id: "a", access_token: "1" } });
    const both = () => ["claude", "codex"].map((name) => one.account(name));
    const first = both();
    expect(first).not.toContain(null);
    one.login(".claude.json", { oauthAccount: { accountUuid: "a" }, numStartups: 2 });
    one.login(".codex/auth.json", { tokens: { account_id: "a", access_token: "2" } });
    expect(both()).toEqual(first);
    one.login(".claude.json", { oauthAccount: { accountUuid: "b" } });
    expect(one.account()).not.toBe(first[0]);
  });

  it("is unknown if the agent is not installed, or the login cannot be read", () => {
    using one = machine({ GEMINI_API_KEY: "k" }, { fast: { dialect: "claude" } });
    one.login(".claude.json", { oauthAccount: 1 });
    const all = () => ["claude", "fast", "gemini", "scripted", "nobody"].map((name) => one.account(name));
    expect(all()).toEqual([null, null, null, null, null]);
    one.login(".claude.json", { oauthAccount: { accountUuid: "a" } });
    expect(all()).toEqual([expect.any(String), all()[0], null, null, null]);
  });
});
