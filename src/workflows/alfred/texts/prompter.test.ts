import { expect, test } from "vitest";
import { render } from "./prompter.ts";

function rendered(text: string, values: Record<string, unknown> = {}): string {
  return render(new Map([["prompts/x", { source: "x", text }]]), "prompts/x", values);
}

test("a tag within a line keeps the blanks around it", () => {
  expect(rendered("{% if done %}You MUST now{% else %}Then{% endif %} call it.", { done: true })).toBe(
    "You MUST now call it.\n",
  );
});

test("a line that holds nothing but a tag leaves no line behind", () => {
  expect(rendered("a\n{% for item in items %}\n- {{ item }}\n{% endfor %}\nb", { items: [1, 2] })).toBe(
    "a\n- 1\n- 2\nb\n",
  );
  expect(rendered("a\n  {% if x %}  \nyes\n\t{% endif %}\nb", { x: true })).toBe("a\nyes\nb\n");
});

test("an error names the line of the template as its author counts", () => {
  expect(() => rendered("{% if true %}\nok\n{% endif %}\n{{ nonsense }}")).toThrow(/line 4/);
});

test("texts become one list, each an item of its own, whatever lines they have", () => {
  expect(rendered("{{ items | bullets | quote }}", { items: ["one", "two\n# STATE: x"] })).toBe(
    "> - one\n> - two\n>   # STATE: x\n",
  );
});

test("the article fits the word", () => {
  expect(
    rendered("{{ a | article }} {{ a }}, {{ b | article }} {{ b }}", {
      a: "ImplementationManifestArtifact",
      b: "DesignArtifact",
    }),
  ).toBe("an ImplementationManifestArtifact, a DesignArtifact\n");
});
