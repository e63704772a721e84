import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { assign } from "xstate";
import { door } from "../../test/rig/lockable.ts";
import { promise } from "../../test/rig/promise.ts";
import { planTask, startTask } from "../../test/rig/review-machines.ts";
import { agreesWithXState } from "../../test/rig/xstate-oracle.ts";
import { renderMermaid, renderTable } from "./diagram.ts";
import type { Rule, State, Workflow } from "./workflow.ts";
import { renderXState, xstateConfig } from "./xstate.ts";

const odd: Workflow = {
  name: "odd",
  title: "Names | and *words* that notations trip over",
  states: {
    state: { description: 'The word "state".' },
    "a-b": { description: "a | b\n# c" },
    s_a_b: { description: "<script> _x_" },
    "a:b": { description: "" },
    end: { description: "", final: true },
  },
  initial: "state",
  events: { "go:on": { description: "`x`" } },
  facts: {
    text: { description: "", values: ['"; --> [*]', "%% {init} #59; <b>"] },
    tries: { description: "", values: [0, 1], initial: 0 },
  },
  rules: [
    rule({ id: "1", from: ["state"], when: [{ text: ['"; --> [*]'] }], to: "a-b" }),
    rule({
      id: "2",
      from: ["state"],
      when: [{ text: ["%% {init} #59; <b>"], tries: [0, 1] }],
      to: "s_a_b",
      set: { tries: { add: 1 } },
    }),
    rule({
      id: "3",
      from: ["a-b", "s_a_b"],
      to: { "a-b": "a:b", s_a_b: "end" },
      set: { tries: { of: { "a-b": 1, s_a_b: 0 } } },
      commands: [{ type: "ring", times: 2 }],
    }),
    rule({ id: "4", from: ["a:b"], to: "end" }),
  ],
  goals: ["end"],
};

function rule(own: Partial<Rule> & Pick<Rule, "id" | "from" | "to">): Rule {
  return { on: "go:on", outcome: "moved", reply: "r", ...own };
}

describe("the Mermaid diagram", () => {
  it("shows each way that a run can move, and nothing that stays", () => {
    expect(renderMermaid(planTask.workflow)).toBe(
      [
        "stateDiagram-v2",
        "  [*] --> contextualize",
        ...["contextualize", "strategize", "design", "generate_slots", "verified"]
          .slice(0, 4)
          .flatMap((state, index) => {
            const next = ["strategize", "design", "generate_slots", "verified"][index];
            const review = ["review_context", "review_strategy", "review_design", "review_plan"][index];
            return [
              `  ${state} --> ${review} : submit_${state} [review_policy = ai or #34;ai,human#34;]<br/>submit_${state} [review_policy = human]`,
              `  ${state} --> ${next} : submit_${state} [review_policy = none]`,
            ];
          }),
        ...["contextualize", "strategize", "design", "generate_slots"].flatMap((state, index) => {
          const next = ["strategize", "design", "generate_slots", "verified"][index];
          const review = ["review_context", "review_strategy", "review_design", "review_plan"][index];
          return [
            `  ${review} --> ${review} : pass_to_human [review_stage = ai, review_policy = #34;ai,human#34;]`,
            `  ${review} --> ${next} : ai_approve [ai_approve.${state}]`,
            `  ${review} --> ${state} : request_revision`,
          ];
        }),
        "  verified --> [*]",
        "",
      ].join("\n"),
    );
  });

  it("gives names and texts that Mermaid would read as its own another form, and keeps names apart", () => {
    expect(renderMermaid(odd)).toBe(
      [
        "stateDiagram-v2",
        '  state "state" as s_state',
        '  state "a-b" as s_a_b_',
        '  state "a#58;b" as s_a_b__',
        '  state "end" as s_end',
        "  [*] --> s_state",
        "  s_state --> s_a_b_ : go#58;on [text = #34;#92;#34;#59; --#62; [#42;]#34;]",
        "  s_state --> s_a_b : go#58;on [text = #34;#37;#37; #123;init#125; #35;59#59; #60;b#62;#34;, tries = 0 or 1]",
        "  s_a_b_ --> s_a_b__ : go#58;on",
        "  s_a_b --> s_end : go#58;on",
        "  s_a_b__ --> s_end : go#58;on",
        "  s_end --> [*]",
        "",
      ].join("\n"),
    );
  });
});

it("a diagram and a table say which agent a rule starts", () => {
  promise("own.agents-shown");
  const started = {
    ...odd,
    rules: odd.rules.map((each) => ({ ...each, commands: [{ type: "run", agent: "critic" }] })),
  };
  expect(renderMermaid(started)).toContain("s_a_b_ --> s_a_b__ : go#58;on / critic\n");
  expect(renderMermaid(started)).toMatch(/: go#58;on \[.*\] \/ critic\n/);
  expect(renderTable(started)).toContain("| run critic |");
});

describe("a label of the Mermaid diagram", () => {
  const words = (state: string, value: string) =>
    renderMermaid({
      ...odd,
      states: { [state]: { description: "" }, over: { description: "" } },
      initial: state,
      facts: { text: { description: "", values: [value] } },
      rules: [rule({ id: "long-rule", from: [state], when: [{ text: [value] }], to: "over" })],
      goals: [],
    });

  it("has the condition as long as it is short, and the rule's id beyond", () => {
    const fits = "a".repeat(60 - "text = ".length);
    expect(words("shut", fits)).toContain(`shut --> over : go#58;on [text = ${fits}]\n`);
    expect(words("shut", `${fits}a`)).toContain("shut --> over : go#58;on [long-rule]\n");
  });

  it("stays on its line", () => {
    expect(words("shut", "a  b")).toContain("[text = #34;a b#34;]");
  });

  it("takes a state for a word of Mermaid's only if all of it is one", () => {
    expect(words("statement", "x")).toContain("[*] --> statement\n");
    expect(words("restate", "x")).toContain("[*] --> restate\n");
    expect(words("State", "x")).toContain("[*] --> s_State\n");
  });
});

describe("the markdown table", () => {
  it("has every rule with all that it says, in cells that hold", () => {
    expect(renderTable(odd)).toBe(
      [
        "# odd: Names \\| and \\*words\\* that notations trip over",
        "",
        "## States",
        "",
        "| State |  | Description |",
        "| --- | --- | --- |",
        '| state | initial | The word "state". |',
        "| a-b |  | a \\| b # c |",
        "| s_a_b |  | \\<script\\> \\_x\\_ |",
        "| a:b |  |  |",
        "| end | goal, final |  |",
        "",
        "## Events",
        "",
        "| Event | Description |",
        "| --- | --- |",
        "| go:on | \\`x\\` |",
        "",
        "## Facts",
        "",
        "| Fact | Kind | Values | Description |",
        "| --- | --- | --- | --- |",
        '| text | input | "\\\\"; --\\> \\[\\*\\]", "%% {init} #59; \\<b\\>" |  |',
        "| tries | variable, at first 0 | 0, 1 |  |",
        "",
        "## Rules",
        "",
        "| Rule | From | On | When | To | Sets | Outcome | Commands | Reply |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        '| 1 | state | go:on | text = "\\\\"; --\\> \\[\\*\\]" | a-b |  | moved |  | r |',
        '| 2 | state | go:on | text = "%% {init} #59; \\<b\\>", tries = 0 or 1 | s_a_b | tries = +1 | moved |  | r |',
        "| 3 | a-b, s_a_b | go:on |  | a-b → a:b; s_a_b → end | tries = a-b → 1; s_a_b → 0 | moved | ring | r |",
        "| 4 | a:b | go:on |  | end |  | moved |  | r |",
        "",
      ].join("\n"),
    );
  });

  it("leaves out the facts if there are none, and shows a step back, a fixed value and a command", () => {
    const rules = [
      rule({
        id: "1",
        from: ["state"],
        to: "end",
        set: { tries: { add: -1 }, text: null },
        commands: [{ type: "ring" }, { type: "knock" }],
      }),
    ];
    const text = renderTable({ ...odd, facts: {}, rules });
    expect(text).not.toContain("## Facts");
    expect(text).toContain(
      "| 1 | state | go:on |  | end | tries = -1, text = null | moved | ring, knock | r |\n",
    );
  });

  it("shows a text with blanks as one line, a step of nothing, and the first of no value", () => {
    const facts = { none: { description: "a  b\n\nc", values: [null, 1], initial: null } };
    const rules = [rule({ id: "1", from: ["state"], to: "end", set: { none: { add: 0 } } })];
    const text = renderTable({ ...odd, facts, rules });
    expect(text).toContain("| none | variable, at first null | null, 1 | a b c |");
    expect(text).toContain("| none = +0 |");
  });

  it("says what may be written in each state, if the table does", () => {
    const [first, second, ...others] = Object.entries(odd.states).map(([name, state]) => {
      return [name, { ...state, writes: "none", forbids: ["commit", "push"] }] as const;
    });
    const states = Object.fromEntries([
      [first?.[0], { ...first?.[1], writes: "worktree", forbids: [] }],
      [second?.[0], { ...second?.[1], writes: "plan", forbids: ["push"] }],
      ...others,
    ]) as unknown as Workflow["states"];
    const text = renderTable({ ...odd, states: { ...states, end: odd.states.end as State } });
    expect(text).toContain(
      [
        "| State |  | May be written | Description |",
        "| --- | --- | --- | --- |",
        '| state | initial | worktree | The word "state". |',
        "| a-b |  | plan, no push | a \\| b # c |",
        "| s_a_b |  | none, no commit or push | \\<script\\> \\_x\\_ |",
        "| a:b |  | none, no commit or push |  |",
        "| end | goal, final |  |  |",
        "",
      ].join("\n"),
    );
  });

  it("says with what a run may begin", () => {
    expect(renderTable({ ...odd, starts: [{ tries: 1 }] })).toBe(renderTable(odd));
    expect(renderTable(startTask.workflow)).toContain(
      'A run begins with review_policy = "ai,human"; or review_policy = ai; or review_policy = human; or review_policy = none.',
    );
  });
});

describe("the XState export", () => {
  it.each([
    ["start_task", startTask.workflow, { configurations: 23, decisions: 76 }],
    ["plan_task", planTask.workflow, { configurations: 36, decisions: 256 }],
    ["odd", odd, { configurations: 6, decisions: 5 }],
  ])("of %s decides as decide does, in every combination", (_, workflow, agreement) => {
    expect(agreesWithXState(workflow)).toEqual(agreement);
  });

  it("runs with the guards and actions that the documentation gives", () => {
    const page = readFileSync(new URL("../../docs/internals/engine.md", import.meta.url), "utf8");
    const code = /const implementations = (\{[\s\S]*?\n\});/.exec(page)?.[1];
    const implementations = new Function("assign", `return ${code};`)(assign);
    for (const workflow of [startTask.workflow, planTask.workflow, odd])
      agreesWithXState(workflow, { implementations });
  });

  it("is caught by the oracle if it differs in one rule", () => {
    promise("table.xstate-agrees");
    const rules = startTask.workflow.rules.map((each) =>
      each.id === "reject.branch_created" ? { ...each, to: "git_status_checked" } : each,
    );
    const compare = () =>
      agreesWithXState({ ...startTask.workflow, rules }, { exported: renderXState(startTask.workflow) });
    expect(compare).toThrow(
      /4 of 76 decisions differ:[\s\S]*"reject"[\s\S]*xstate: \["reject.branch_created","branch_created"/,
    );
  });

  it("is JSON without loss, and the same each time", () => {
    const { workflow } = startTask;
    expect(JSON.parse(renderXState(workflow))).toEqual(xstateConfig(workflow));
    expect(renderXState(structuredClone(workflow))).toBe(renderXState(workflow));
  });

  it("leaves the target out if the state stays, also if a map says so", () => {
    const rules = odd.rules.map((each) => (each.id === "4" ? { ...each, to: { "a:b": "a:b" } } : each));
    expect(xstateConfig({ ...odd, rules }).states["a:b"]?.on?.["go:on"]).toEqual([
      {
        description: "4: always",
        actions: [{ type: "take", params: { row: "4", outcome: "moved", reply: "r" } }],
      },
    ]);
  });

  it("has the whole table", () => {
    const take = (id: string, outcome = "moved") => ({
      type: "take",
      params: { row: id, outcome, reply: "said" },
    });
    const guard = (box: object) => ({ type: "in", params: { boxes: [box] } });
    expect(xstateConfig({ ...door, starts: [{ pushes: 1 }] })).toEqual({
      id: "door",
      description: "A door",
      initial: "closed",
      context: { pushes: 1 },
      states: {
        closed: {
          description: "",
          on: {
            push: [
              {
                description: "opens: locked = false",
                target: "open",
                guard: guard({ locked: [false] }),
                actions: [
                  { type: "step", params: { fact: "pushes", by: 1, values: [0, 1, 2] } },
                  take("opens"),
                ],
              },
              {
                description: "holds: locked = true",
                guard: guard({ locked: [true] }),
                actions: [take("holds", "blocked")],
              },
            ],
            remove: [
              {
                description: "worn: pushes = 2",
                target: "gone",
                guard: guard({ pushes: [2] }),
                actions: [take("worn")],
              },
              {
                description: "fine: pushes = 0 or 1",
                guard: guard({ pushes: [0, 1] }),
                actions: [take("fine", "no-effect")],
              },
            ],
          },
        },
        open: {
          description: "",
          on: {
            push: [{ description: "closes: always", target: "closed", actions: [take("closes")] }],
            remove: [{ description: "taken: always", target: "gone", actions: [take("taken")] }],
          },
        },
        gone: { description: "", type: "final" },
      },
    });
    expect(xstateConfig(door).context).toEqual({ pushes: 0 });
    const unasked = xstateConfig({ ...door, rules: door.rules.filter(({ on }) => on === "push") });
    expect(Object.keys(unasked.states.open?.on ?? {})).toEqual(["push"]);
  });

  it("names what is taken and performed", () => {
    expect(xstateConfig(odd).states["a-b"]?.on?.["go:on"]).toEqual([
      {
        description: "3: always",
        target: "a:b",
        actions: [
          { type: "set", params: { tries: 1 } },
          { type: "take", params: { row: "3", outcome: "moved", reply: "r" } },
          { type: "perform", params: { type: "ring", times: 2 } },
        ],
      },
    ]);
  });
});
