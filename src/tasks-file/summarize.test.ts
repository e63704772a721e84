import { describe, expect, it } from "vitest";
import { summarize } from "./summarize.ts";

const FILE = "tasks:\n# about A\n- id: A\n  title: a\n- id: B\n  title: b\n- {id: C, title: c}\n";
const NOTHING = { added: [], changed: [], removed: [] };

describe("The difference between two versions of tasks.yaml", () => {
  it("names new, changed and removed tasks, and no task that only looks different", () => {
    const after = "tasks:\n- {id: C, title: cc}\n# about B\n\n- id: B\n  title: 'b'\n- id: D\n  title: d\n";
    expect(summarize(FILE, after)).toEqual({ added: ["D"], changed: ["C"], removed: ["A"] });
    expect(summarize(FILE, FILE)).toEqual(NOTHING);
    expect(summarize(null, FILE)).toEqual({ ...NOTHING, added: ["A", "B", "C"] });
    expect(summarize(FILE, null)).toEqual({ ...NOTHING, removed: ["A", "B", "C"] });
  });

  it("covers aliases, lists in brackets, and text that cannot be read", () => {
    const alias = "all: &all [x]\ntasks:\n- {id: A, title: a, verify: *all}\n- {id: B, title: b}\n";
    expect(summarize(alias, alias.replace("[x]", "[y]"))).toEqual({ ...NOTHING, changed: ["A"] });
    expect(summarize(alias, alias.replace("title: a", "title: b"))).toEqual({ ...NOTHING, changed: ["A"] });
    expect(summarize("tasks: [{id: A, title: a}]\n", FILE)).toEqual({ ...NOTHING, added: ["B", "C"] });
    expect(summarize("tasks: [", FILE)).toEqual({ ...NOTHING, added: ["A", "B", "C"] });
  });
});
