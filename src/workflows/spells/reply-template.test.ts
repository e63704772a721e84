import fc from "fast-check";
import { Liquid } from "liquidjs";
import { describe, expect, test } from "vitest";
import { packaged } from "../../../test/rig/spells-project.ts";
import { parseReplyFile, REPLY_FILES } from "./reply-file.ts";
import { fillIn } from "./reply-template.ts";

/** What the syntax is a part of. */
const liquid = new Liquid({ strictVariables: true, ownPropertyOnly: true, jsTruthy: true });

const VALUES = { yes: true, no: false, none: "", zero: 0, one: 1, word: "a {{ word }}", part: { of: "it" } };

const NAME = fc.constantFrom("yes", "no", "none", "zero", "one", "word", "part.of");
const TEMPLATE = fc.letrec<{ all: string; some: string }>((tie) => ({
  all: fc.array(tie("some"), { maxLength: 4 }).map((parts) => parts.join("")),
  some: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("text", " ", "\n\n", "{ }", "%}", "}}", "{%- # said -%}", " \n{%- # said -%}\n "),
    fc.constantFrom("none", "zero", "one", "word", "part.of").map((name) => `{{ ${name} }}`),
    fc
      .tuple(NAME, tie("all"), NAME, tie("all"), tie("all"))
      .map(
        ([one, first, two, second, last]) =>
          `{% if ${one} %}${first}{% elsif ${two} %}${second}{% else %}${last}{% endif %}`,
      ),
    fc
      .tuple(fc.constantFrom("if", "unless"), NAME, tie("all"))
      .map(([asks, name, inside]) => `{% ${asks} ${name} %}${inside}{% end${asks} %}`),
    fc
      .tuple(NAME, tie("all"), tie("all"))
      .map(([name, first, last]) => `{% unless ${name} %}${first}{% else %}${last}{% endunless %}`),
  ),
})).all;

describe("a reply's template", () => {
  test("says what Liquid makes of it", () => {
    fc.assert(
      fc.property(TEMPLATE, (template) => {
        expect(fillIn(template, VALUES)).toBe(liquid.parseAndRenderSync(template, VALUES));
      }),
      { numRuns: 1_000 },
    );
  });

  test("that comes with Pawl says what Liquid makes of it, whichever values are true", async () => {
    const files = await Promise.all(REPLY_FILES.map((name) => packaged(`spells/${name}`)));
    const parsed = files.map((text) => parseReplyFile(text ?? ""));
    const templates = parsed.flatMap(({ layout, replies }) => [
      layout,
      ...[...replies.values()].flatMap((blocks) => Object.values(blocks)),
    ]);
    expect(templates.length).toBeGreaterThan(200);
    for (const template of new Set(templates)) {
      const names = [...template.matchAll(/\{[{%] (?:(?:if|unless|elsif) )?([a-z_.]+) [}%]\}/g)].flatMap(
        ([, name = ""]) => (["else", "endif", "endunless"].includes(name) ? [] : [name]),
      );
      for (let chosen = 0; chosen < 2 ** Math.min(new Set(names).size, 8); chosen++) {
        const values = valuesFor([...new Set(names)], chosen);
        expect(fillIn(template, values)).toBe(liquid.parseAndRenderSync(template, values));
      }
    }
  });

  test.each([
    ["{{ nothing }}", "nothing has no value"],
    ["{{ part.nothing }}", "part.nothing has no value"],
    ["{{ word.length }}", "word.length has no value"],
    ["{{ part.constructor }}", "part.constructor has no value"],
    ["{% if nothing %}{% endif %}", "nothing has no value"],
    ["{{ part }}", "{{ part }} cannot be printed"],
    ["{{ yes }}", "{{ yes }} cannot be printed"],
    ["{{word}}", "{{word}} cannot be printed"],
    ["{{ word | upcase }}", "{{ word | upcase }} cannot be printed"],
    ["{% if one == 1 %}{% endif %}", "{% if one == 1 %} is not expected here"],
    ["{% for one in word %}{% endfor %}", "{% for one in word %} is not expected here"],
    ["{% else %}", "{% else %} is not expected here"],
    ["{% endif %}", "{% endif %} is not expected here"],
    ["{% if yes %}{% endunless %}", "{% endunless %} is not expected here"],
    ["{% if yes %}", "{% endif %} is missing"],
    ["{% unless yes %}{% if yes %}", "{% endunless %} is missing"],
  ])("that cannot be followed is an error: %s", (template, said) => {
    expect(() => fillIn(template, VALUES)).toThrow(new Error(said));
  });

  test("looks nothing up that it does not show", () => {
    expect(fillIn("{% if no %}{{ nothing }}{% if nothing %}{% endif %}{% endif %}", VALUES)).toBe("");
    expect(fillIn("{% if yes %}it{% elsif nothing %}{% endif %}", VALUES)).toBe("it");
  });
});

/** Every second, fourth, … of the choices is made; what is printed is a text or empty. */
function valuesFor(names: readonly string[], chosen: number): object {
  const values: Record<string, unknown> = {};
  for (const [at, name] of names.entries()) {
    const [group = "", part] = name.split(".");
    const value = (chosen >> at) % 2 === 0 ? "" : `the ${name}`;
    if (part === undefined) values[group] = value;
    else values[group] = { ...(values[group] as object), [part]: value };
  }
  return values;
}
