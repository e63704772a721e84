import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { replyFaults } from "../workflows/custom/definition/template.ts";
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

  it("keeps a value inside of its line, its quote and its fence, and has a workflow's own filters", () => {
    expect(render("{{ value | line }}|", { value: "a\n  b" })).toBe("a b|");
    expect(render("{{ value | quote }}", { value: "a\nb" })).toBe("> a\n> b");
    expect(render("{{ value | fenced }}", { value: "```\nx" })).toMatch(/^````\n```\nx\n````$/);
    const own = openTemplates({ filters: { loud: (value) => `${value}!` } });
    expect(own.render("{{ value | loud | line }}", { value: "a\nb" })).toBe("a b!");
  });

  it("is told of a fault by its line alone, in words without a place", () => {
    const { line, what } = fault(`${"\n".repeat(11)}{{ nothing }}`);
    expect(line).toBe(12);
    expect(what).toMatch(/^undefined variable: nothing$/);
    expect(faultOf("no place at all")).toEqual({ line: null, file: null, what: "no place at all" });
    expect(faultOf(new Error("bad, file:a b.md, line:3, col:14\nmore"))).toEqual({
      line: 3,
      file: "a b.md",
      what: "bad",
    });
  });
});
