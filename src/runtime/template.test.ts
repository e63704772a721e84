import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { replyFaults } from "../workflows/custom/template.ts";
import { faultOf, openTemplates } from "./template.ts";

const { render, variables } = openTemplates({ partials: { head: "# {{ title }}", bad: "\n{% if" } });

const fault = (text: string, values = {}) => {
  try {
    render(text, values);
  } catch (cause) {
    return faultOf(cause);
  }
  throw new Error("it was rendered");
};

describe("a template", () => {
  it("refuses an unknown variable, and what is not a value's own", () => {
    expect(fault("a\n{{ nothing }}")).toMatchObject({ line: 2, what: expect.stringContaining("nothing") });
    expect(fault("{{ value.constructor }}", { value: {} })).toMatchObject({ line: 1 });
    expect(fault("{{ value | strange }}", { value: 1 }).what).toContain("strange");
  });

  it("takes no value for a template", () => {
    expect(render("{{ value }}", { value: "{{ other }}{% if %}" })).toBe("{{ other }}{% if %}");
  });

  it.each(["render", "include", "layout"])("reads no file of the project by `%s`", (tag) => {
    const text = `{% ${tag} 'package.json' %}`;
    expect(existsSync("package.json")).toBe(true);
    expect(fault(text).what).toContain("package.json");
    expect(replyFaults(text, [])).toEqual([{ line: 1, message: expect.stringContaining("package.json") }]);
  });

  it("includes what it was given, and tells of a fault there by its name", () => {
    expect(render("{% include 'head' %}\nx", { title: "T" })).toBe("# T\nx");
    expect(fault("{% include 'bad' %}")).toMatchObject({ file: "bad", line: 2 });
  });

  it("is bounded in size, time and memory", () => {
    expect(fault("x".repeat(200_001)).what).toContain("parse length limit");
    expect(fault("{% for i in (1..100000000) %}{{ i }}{% endfor %}").what).toMatch(/limit exceeded/);
  });

  it("names the variables that it uses, each with the line of its first use", () => {
    expect(variables("{{ a }}\n{{ b.c }}{% for d in e %}{{ d }}{{ a }}{% endfor %}")).toEqual([
      { name: "a", line: 1 },
      { name: "b", line: 2 },
      { name: "e", line: 2 },
    ]);
  });
});
