import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { arrangeShell } from "./claude-shell.ts";

function openWorld(settings: string | null = null) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-claude-")));
  const environment = { HOME: root, XDG_STATE_HOME: join(root, "state") };
  const file = join(root, ".claude/settings.local.json");
  const write = (text: string) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  if (settings !== null) write(settings);
  return {
    ...{ root, file, write },
    text: () => (existsSync(file) ? readFileSync(file, "utf8") : null),
    arrange: (isClosed: boolean, folder = root) => arrangeShell({ root, folder, environment }, isClosed),
  };
}

describe("Claude Code's own sandbox", () => {
  it.each([
    null,
    '{ "permissions": { "allow": ["Bash(ls)"] } }\n',
    '{\n  // mine\n  "sandbox": { "enabled": false, "filesystem": { "denyWrite": ["~/x"] } }\n}\n',
    '{ "sandbox": { "enabled": true, "excludedCommands": ["docker"] } }',
  ])("closes the project, once, and what a person had set comes back: %j", async (before) => {
    promise("guard.sandbox");
    const world = openWorld(before);
    const told = await world.arrange(true);
    const closed = world.text();
    expect(told).toBeGreaterThan(0);
    expect(await world.arrange(true)).toBeLessThanOrEqual(told ?? 0);
    expect(world.text()).toBe(closed);
    const text = (world.text() ?? "").replace(/\/\/.*/g, "");
    expect(JSON.parse(text).sandbox).toMatchObject({
      ...{ enabled: true, failIfUnavailable: true, allowUnsandboxedCommands: false, excludedCommands: [] },
      filesystem: { denyWrite: expect.arrayContaining(["."]), allowWrite: [] },
    });
    expect(text.includes("~/x")).toBe(before?.includes("~/x") ?? false);
    expect(await world.arrange(false)).toBeGreaterThan(0);
    const now = world.text();
    expect(now === null ? null : JSON.parse(now.replace(/\/\/.*/g, ""))).toEqual(
      before === null ? null : JSON.parse(before.replace(/\/\/.*/g, "")),
    );
    expect(now?.includes("// mine") ?? false).toBe(before?.includes("// mine") ?? false);
    await world.arrange(false);
    expect(world.text()).toBe(now);
  });

  it("is set again if somebody has lifted it, and a person's edit of it stays afterwards", async () => {
    promise("guard.sandbox");
    const world = openWorld();
    await world.arrange(true);
    world.write("{}");
    await world.arrange(true);
    expect(world.text()).toContain('"denyWrite"');
    world.write('{ "sandbox": { "enabled": false }, "theme": "dark" }');
    await world.arrange(false);
    expect(world.text()).toBe('{ "sandbox": { "enabled": false }, "theme": "dark" }');
  });

  it("is nothing to wait for in a project if it was never set", async () => {
    expect(await openWorld().arrange(false)).toBe(0);
  });

  it("names the project if Claude Code was started in a folder of it, and leaves nothing there", async () => {
    const world = openWorld();
    const sub = join(world.root, "sub");
    mkdirSync(sub);
    await world.arrange(true, sub);
    const own = join(sub, ".claude/settings.local.json");
    expect(JSON.parse(readFileSync(own, "utf8")).sandbox.filesystem.denyWrite).toEqual([".", world.root]);
    await world.arrange(false);
    expect(existsSync(own)).toBe(false);
  });

  it("is not had if nobody can read the settings, or a link stands in their place", async () => {
    promise("guard.sandbox");
    expect(await openWorld('{ "sandbox": ').arrange(true)).toBeNull();
    expect(await openWorld('{ "sandbox": 3 }').arrange(true)).toBeNull();
    const world = openWorld("{}");
    const linked = openWorld();
    symlinkSync(dirname(world.file), join(linked.root, ".claude"));
    expect(await linked.arrange(true)).toBeNull();
    expect(world.text()).toBe("{}");
  });
});
