import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { actionOf } from "./tool-action.ts";

const actions = (tool: string, input: Record<string, unknown>) => actionOf({ tool, input, cwd: "/p" });
const writing = (...paths: readonly string[]) => expect.objectContaining({ type: "write", paths, cwd: "/p" });

describe("a tool's action", () => {
  it("is reading if a tool that also edits is told to view, and brings nothing to write", () => {
    const view = { command: "view", path: "/p/a", view_range: [1, 2] };
    for (const tool of ["str_replace_editor", "str_replace_based_edit_tool", "text_editor"]) {
      expect(actions(tool, view)).toEqual([]);
      for (const key of ["content", "file_text", "new_str", "insert_text", "edits", "newString"])
        expect(actions(tool, { ...view, [key]: "x" }), key).toEqual([writing("/p/a")]);
      expect(actions(tool, { ...view, command: "create" })).toEqual([writing("/p/a")]);
    }
  });

  it("is writing whatever an argument says that the tool does not have", () => {
    promise("guard.protected");
    const input = { filePath: "/p/pawl.yaml", command: "view" };
    for (const tool of ["write", "Edit", "create_file", "replace", "delete_file"]) {
      expect(actions(tool, input)).toEqual([writing("/p/pawl.yaml")]);
      expect(actions(tool, { ...input, content: "x" })).toEqual([writing("/p/pawl.yaml")]);
    }
  });

  it("is a shell's command, and a write of the task's file, if VS Code makes a task of it", () => {
    promise("guard.protected");
    const task = { label: "x", type: "shell", command: "cp", args: ["a b", "pawl.yaml"] };
    expect(actions("create_and_run_task", { workspaceFolder: "/q", task })).toEqual([
      { type: "shell", command: "cp 'a b' 'pawl.yaml'", cwd: "/q" },
      { type: "write", paths: [".vscode/tasks.json"], cwd: "/q" },
    ]);
    const bare = { task: { command: "echo > pawl.yaml" } };
    expect(actions("createAndRunTask", bare)[0]).toEqual({ type: "shell", ...bare.task, cwd: "/p" });
  });

  it("is every place that a server's tool is given, in whatever argument", () => {
    promise("guard.protected");
    const called = (input: Record<string, unknown>) =>
      actionOf({ tool: "write_file", server: "fs", input, cwd: "/p" })[1];
    for (const key of [
      "path",
      "filePath",
      "uri",
      "destination_dir",
      "targetFile",
      "save_location",
      "to_folder",
    ])
      expect(called({ [key]: "a" }), key).toMatchObject({ paths: ["a"], mentions: [] });
    expect(called({ where: "file:///p/a", deep: [{ x: { y: ["~/b", "/c"] } }] })).toMatchObject({
      paths: ["file:///p/a", "~/b", "/c"],
    });
    expect(
      called({ where: "pawl.yaml", content: "/no/place", description: "~/x", url: "https://example.org" }),
    ).toMatchObject({
      paths: [],
      mentions: ["pawl.yaml"],
    });
    let deep: Record<string, unknown> = { path: "a" };
    for (let level = 0; level < 50; level++) deep = { deep };
    expect(called(deep)).toMatchObject({ paths: ["."] });
    expect(
      actionOf({ tool: "create_issue", server: "github", input: { title: "x" }, cwd: "/p" }),
    ).toHaveLength(1);
    expect(
      actionOf({ tool: "create_task", server: "pawl", input: { task_content: "x", file: "a" }, cwd: "/p" }),
    ).toHaveLength(1);
  });
});
