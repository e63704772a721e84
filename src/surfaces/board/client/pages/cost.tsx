/** The costs of the work: by task, agent, day and cause, with wasted money highlighted. */
import { useState } from "preact/hooks";
import {
  CAUSES,
  type CostGroup,
  type CostRow,
  type CostSum,
  type CostsBy,
  groupCosts,
  sumCosts,
} from "../../../../runtime/reports/costs.ts";
import type { CostPage as CostAnswer } from "../../wire.ts";
import { projectPath } from "../api.ts";
import { type CostColumn, CostTable, MONEY, TIME, TOKENS } from "../cost-table.tsx";
import { FirstOf, Switch } from "../lists.tsx";
import { renderLarge, renderMinutes, renderUsd } from "../moment.tsx";
import { Empty, Heading, Loaded } from "../notice.tsx";
import { useResource } from "../resource.ts";
import type { PageProps } from "../route.ts";

const BY = [
  ["task", "By task"],
  ["agent", "By agent"],
  ["day", "By day"],
  ["cause", "By cause"],
] as const;

export function CostPage({ project }: PageProps) {
  const cost = useResource<CostAnswer>(projectPath(project, "cost"), (event) => event.project === project);
  const [by, setBy] = useState<CostsBy>("task");
  return (
    <>
      <Heading title="Cost">
        <Switch name="By" options={BY} value={by} choose={setBy} />
      </Heading>
      <Loaded from={cost}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title="No costs are known yet." command="pawl run">
              The loop's agents report what they use, from their first step on:
            </Empty>
          ) : (
            <>
              <Figures rows={rows} />
              <Grouped rows={rows} by={by} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** A dash if the agent does not report the value. */
function known(value: number | null, render: (value: number) => string): string {
  return value === null ? "–" : render(value);
}

function Figures({ rows }: { readonly rows: readonly CostRow[] }) {
  const total = sumCosts(rows);
  const figures = [
    ["Money", known(total.usd, renderUsd)],
    ["Per accepted step", known(total.usdPerStep, renderUsd)],
    ["Tokens", known(total.tokens, renderLarge)],
    ["Agent time", renderMinutes(total.minutes)],
    ["Spent on doing it again", `${Math.round(total.again * 100)} %`],
  ];
  return (
    <dl class="figures large">
      {figures.map(([title, words]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  );
}

const PER_STEP: CostColumn<CostGroup> = {
  ...{ title: "Per accepted step", isNumber: true },
  cell: ({ usdPerStep }) => known(usdPerStep, renderUsd),
};

function causeOf(largest: number): CostColumn<CostGroup> {
  return { title: "Cause", cell: ({ causes }) => <CauseBar causes={causes} largest={largest} /> };
}

function Grouped({ by, rows }: { readonly rows: readonly CostRow[]; readonly by: CostsBy }) {
  const sums = groupCosts(rows, by);
  const largest = Math.max(
    ...sums.map(({ causes }) => CAUSES.reduce((all, cause) => all + causes[cause], 0)),
    0.001,
  );
  return (
    <>
      <p class="legend small quiet" aria-hidden="true">
        {CAUSES.map((cause) => (
          <span key={cause}>
            <i class={`swatch ${cause.replace(" ", "-")}`} /> {cause}
          </span>
        ))}
      </p>
      <FirstOf all={sums} first={50} more={200}>
        {(lines) => (
          <CostTable
            label="Cost"
            of={`${by.charAt(0).toUpperCase()}${by.slice(1)}`}
            lines={lines}
            columns={[causeOf(largest), MONEY, PER_STEP, TOKENS, TIME]}
          />
        )}
      </FirstOf>
    </>
  );
}

const BAR_PX = 160;

function CauseBar({ causes, largest }: { readonly causes: CostSum["causes"]; readonly largest: number }) {
  const shares = CAUSES.map((cause) => ({ cause, width: (causes[cause] / largest) * BAR_PX }));
  const all = CAUSES.reduce((total, cause) => total + causes[cause], 0) || 1;
  const words = CAUSES.filter((cause) => causes[cause] > 0)
    .map((cause) => `${cause} ${Math.round((causes[cause] / all) * 100)} %`)
    .join(", ");
  let x = 0;
  return (
    <svg
      class="bar"
      width={BAR_PX}
      height="10"
      viewBox={`0 0 ${BAR_PX} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={words || "nothing"}
    >
      <title>{words}</title>
      {shares.map(({ cause, width }) => {
        const from = x;
        x += width;
        return width > 0 ? (
          <rect
            key={cause}
            class={cause.replace(" ", "-")}
            x={from}
            y="0"
            width={Math.max(width - 1, 1)}
            height="10"
            rx="2"
          />
        ) : null;
      })}
    </svg>
  );
}
