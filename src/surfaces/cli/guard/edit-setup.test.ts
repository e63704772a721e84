import { spawnSync } from "node:child_process";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { PawlError } from "../../../core/error.ts";
import { GUARDED_CLIENTS, type GuardedClient } from "../../../guard/clients.ts";
import { type ClientFile, commandBeforeTool, lackIn, putIn, takeOut } from "./edit-setup.ts";
import { remove } from "./json-text.ts";
import { GUARD_SETUPS } from "./setup.ts";

const LAUNCH = ["npx", "--no", "pawl", "guard"];
const OTHER = ["pawl", "guard"];

const placesOf = (client: GuardedClient, launch: readonly string[] = LAUNCH): readonly ClientFile[] =>
  GUARD_SETUPS[client].files(launch).map((file) => ({
    ...{ client, title: GUARD_SETUPS[client].title, file },
    name: file.names[0],
  }));

const JSON_FILES = GUARDED_CLIENTS.flatMap((client) =>
  placesOf(client).filter(({ file }) => "entries" in file),
);

const read = (text: string | null) => parse(text ?? "", [], { allowTrailingComma: true });

describe.each(GUARDED_CLIENTS)("the guard in the files of %s", (client) => {
  it("is there once, however often it is put in, and nothing of it is left", () => {
    for (const [at, place] of placesOf(client).entries()) {
      const text = putIn(place, null);
      expect(putIn(place, text)).toBe(text);
      expect(lackIn(place, text)).toBe("nothing");
      expect(lackIn(place, null)).toBe("all");
      expect(takeOut(place, text)).toBeNull();
      const moved = placesOf(client, OTHER)[at] as ClientFile;
      const again = putIn(moved, text);
      expect(lackIn(moved, again)).toBe("nothing");
      expect(again).toBe(putIn(moved, null));
      expect(takeOut(moved, text)).toBeNull();
    }
  });
});

describe.each(JSON_FILES)("$name", (place) => {
  const GROWN = [
    '{\n  // ours\n  "theme": "dark", // keep\n  "other": [1, 2]\n}\n',
    '{\n\t"theme": "dark",\n\t"list": [\n\t\t1,\n\t],\n}\n',
    '\uFEFF{\r\n    "theme": "dark"\r\n}\r\n',
    '{"theme":"dark"}',
    '{ "theme": "dark" /* last */ }',
    '{\n  "theme": "dark"\n  // the end\n}\n',
  ];

  it.each(GROWN)("keeps what is there, and is as before without the guard: %j", (text) => {
    promise("guard.setup");
    const guarded = putIn(place, text);
    expect(read(guarded)).toMatchObject({ theme: "dark" });
    expect(lackIn(place, guarded)).toBe("nothing");
    for (const [comment] of text.matchAll(/\/\/.*|\/\*.*?\*\//g)) expect(guarded).toContain(comment);
    const after = takeOut(place, guarded) ?? "";
    // A version that others rely on stays.
    expect(read(text).version === read(after).version ? after : remove(after, ["version"])).toBe(text);
  });

  it("is left as it is if nobody can read it", () => {
    for (const text of ['{ "hooks": ', "[]", '"text"', "{,}"]) {
      expect(() => putIn(place, text)).toThrow(PawlError);
      expect(() => putIn(place, text)).toThrow(/with room for the guard/);
    }
  });
});

describe("hooks of others", () => {
  const [place] = placesOf("claude-code") as [ClientFile];
  const OTHERS = `{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "lint guard" }] }
    ]
  },
  "permissions": { "deny": ["Read(.env)"], "allow": [] }
}
`;

  it("stay if they are, and so do other rules", () => {
    promise("guard.setup");
    const guarded = putIn(place, OTHERS);
    const { hooks, permissions } = read(guarded);
    expect(hooks.PreToolUse).toHaveLength(2);
    expect(hooks.PreToolUse[1]).toEqual({
      matcher: "*",
      hooks: [
        {
          ...{
            type: "command",
            command: `cd "\${CLAUDE_PROJECT_DIR:-.}" && npx --no pawl guard claude-code`,
          },
          ...{ timeout: 30, onFailure: "block" },
        },
      ],
    });
    expect(permissions.deny[0]).toBe("Read(.env)");
    expect(permissions.deny).toContain("Edit(/.pawl/**)");
    expect(permissions.deny).toContain("Bash(pawl approve:*)");
    expect(takeOut(place, guarded)).toBe(OTHERS);
  });

  it("stay in a group that a person put the guard's own into", () => {
    const guarded = putIn(place, OTHERS);
    const own = '{ "type": "command", "command": "pawl guard claude-code" }';
    const grouped = OTHERS.replace('"lint guard" }', `"lint guard" }, ${own}`);
    expect(takeOut(place, grouped)).toBe(OTHERS);
    expect(lackIn(place, grouped)).toBe("some");
    expect(putIn(place, grouped)).toBe(guarded);
  });
});

describe("handlers that look like the guard", () => {
  const [place] = placesOf("claude-code") as [ClientFile];
  const guarded = putIn(place, null);
  const beside = (command: string) => {
    const settings = read(guarded);
    settings.hooks.PreToolUse.unshift({ hooks: [{ type: "command", command }] });
    return JSON.stringify(settings, null, 2);
  };

  it("keep the guard from being whole beside it, and the guard takes the place of those that end like it", () => {
    promise("guard.canary");
    const ending = `${beside("touch planted; # guard claude-code")}\n`;
    expect(lackIn(place, ending)).toBe("some");
    expect(putIn(place, ending)).toBe(guarded);
    const holding = beside("mine guard claude-code | tee log");
    expect(lackIn(place, holding)).toBe("some");
    expect(putIn(place, holding)).toBe(holding);
  });
});

describe("OpenCode's permission", () => {
  const place = placesOf("opencode")[1] as ClientFile;

  it.each([
    '{ "permission": "ask" }',
    '{ "permission": { "edit": "ask", "bash": "deny" } }',
    '{ "permission": { "edit": { "*": "deny", "src/*": "allow" } } }',
  ])("that is one word becomes a rule for all else, and a word again: %s", (text) => {
    const guarded = putIn(place, text);
    const { permission } = read(guarded);
    expect(permission.edit["pawl.yaml"]).toBe("deny");
    // The last rule that matches counts.
    expect(Object.keys(permission).at(text.includes("bash") ? 0 : -1)).toBe("edit");
    expect(takeOut(place, guarded)).toBe(text);
  });

  it("that denies all is enough", () => {
    const text = '{ "permission": { "edit": "deny" } }';
    expect(putIn(place, text)).toBe(text);
  });
});

it("a client's file is read in time, whatever it is full of", () => {
  for (const filler of ["[", "{", '"', "/", ",", "\\", "\n", "//", "/*"]) {
    const text = `{ "theme": "dark" }${filler.repeat(1_000_000 / filler.length)}`;
    try {
      putIn(JSON_FILES[0] as ClientFile, text);
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(PawlError);
    }
  }
}, 20_000);

it("another's file in the place of Pawl's plugin is left as it is", () => {
  const [plugin] = placesOf("opencode") as [ClientFile];
  expect(() => putIn(plugin, "export const Mine = 1;\n")).toThrow(/did not write/);
  expect(takeOut(plugin, "export const Mine = 1;\n")).toBe("export const Mine = 1;\n");
});

it.each(["codex", "gemini", "vscode"] as const)(
  "a hook that %s would let through refuses if Pawl cannot start",
  (client) => {
    const [place] = placesOf(client);
    const entries = place && "entries" in place.file ? place.file.entries : [];
    const command = commandBeforeTool(entries) ?? "";
    const env = { PATH: "/nowhere" };
    const { status, stderr } = spawnSync("/bin/sh", ["-c", command], { env, encoding: "utf8" });
    // Of a refusal, these clients take the words on standard error.
    expect(stderr).toContain("Pawl cannot start here");
    expect(status).toBe(2);
  },
);

it("a hook that a client would let through after its limit refuses if the guard is still at work", () => {
  const [place] = placesOf("codex", [process.execPath, "-e", "for (;;);", "--"]);
  const entries = place && "entries" in place.file ? place.file.entries : [];
  const command = (commandBeforeTool(entries) ?? "").replace(/^ulimit -t \d+;/, "ulimit -t 1;");
  // Without the limit it would not end by itself.
  const { status, stderr } = spawnSync("/bin/sh", ["-c", command], { encoding: "utf8", timeout: 30_000 });
  expect(stderr).toContain("takes too long");
  expect(status).toBe(2);
});
