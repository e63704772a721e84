/** What the work has cost, and why: by task, agent, day and cause; the money that came to nothing stands out. */
import { useState } from "preact/hooks";
import type { CostPage as CostAnswer, CostRow } from "../../wire.ts";
import { projectPath } from "../api.ts";
import { type CostColumn, type CostLine, CostTable, MONEY, TIME, TOKENS } from "../cost-table.tsx";
import { renderLarge, renderMinutes, renderUsd } from "../moment.tsx";
import { Empty, Heading, Loaded } from "../notice.tsx";
import { useResource } from "../resource.ts";
import type { PageProps } from "../route.ts";

const BY = [
  ["task", "Task"],
  ["agent", "Agent"],
  ["day", "Day"],
  ["cause", "Cause"],
] as const;
type By = (typeof BY)[number][0];

const CAUSES = ["first try", "retry", "rework", "conflict"] as const;

export function CostPage({ project }: PageProps) {
  const cost = useResource<CostAnswer>(projectPath(project, "cost"), (event) => event.project === project);
  const [by, setBy] = useState<By>("task");
  return (
    <>
      <Heading title="Cost">
        <fieldset class="switch">
          <legend class="unseen">By</legend>
          {BY.map(([name, title]) => (
            <button key={name} type="button" aria-pressed={name === by} onClick={() => setBy(name)}>
              By {title.toLowerCase()}
            </button>
          ))}
        </fieldset>
      </Heading>
      <Loaded from={cost}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title="Nothing has been spent that is known of." command="pawl run">
              Agents of the loop say what they use; it is counted from their first step on:
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

interface Sum {
  readonly usd: number;
  readonly tokens: number;
  readonly minutes: number;
  readonly accepted: number;
  readonly count: number;
  readonly causes: Readonly<Record<CostRow["cause"], number>>;
}

function sum(rows: readonly CostRow[]): Sum {
  const add = (of: (row: CostRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  // Without money, minutes say where it went.
  const hasMoney = rows.some(({ usd }) => usd !== null);
  const weigh = (row: CostRow) => (hasMoney ? (row.usd ?? 0) : row.minutes);
  const of = (cause: CostRow["cause"]) => add((row) => (row.cause === cause ? weigh(row) : 0));
  return {
    usd: add((row) => row.usd ?? 0),
    tokens: add((row) => row.tokens ?? 0),
    minutes: add((row) => row.minutes),
    accepted: add((row) => (row.accepted ? row.runs : 0)),
    count: add((row) => row.runs),
    causes: {
      "first try": of("first try"),
      retry: of("retry"),
      rework: of("rework"),
      conflict: of("conflict"),
    },
  };
}

function Figures({ rows }: { readonly rows: readonly CostRow[] }) {
  const total = sum(rows);
  const weight = CAUSES.reduce((all, cause) => all + total.causes[cause], 0);
  const again = weight === 0 ? 0 : 1 - total.causes["first try"] / weight;
  const figures = [
    ["Money", renderUsd(total.usd)],
    ["Per accepted step", total.accepted === 0 ? "–" : renderUsd(total.usd / total.accepted)],
    ["Tokens", renderLarge(total.tokens)],
    ["Time of agents", renderMinutes(total.minutes)],
    ["Spent on doing it again", `${Math.round(again * 100)} %`],
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

const PER_STEP: CostColumn<CostLine & Sum> = {
  ...{ title: "Per accepted step", isNumber: true },
  cell: ({ accepted, usd }) => (accepted === 0 ? "–" : renderUsd(usd / accepted)),
};

function causeOf(largest: number): CostColumn<CostLine & Sum> {
  return { title: "Cause", cell: ({ causes }) => <CauseBar causes={causes} largest={largest} /> };
}

function Grouped({ by, rows }: { readonly rows: readonly CostRow[]; readonly by: By }) {
  const [most, setMost] = useState(50);
  const groups = Map.groupBy(rows, (row) => row[by]);
  const sums = [...groups].map(([name, members]) => ({ name, ...sum(members) }));
  sums.sort((one, other) =>
    by === "day" ? (one.name < other.name ? 1 : -1) : other.usd - one.usd || other.minutes - one.minutes,
  );
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
      <CostTable
        label="Cost"
        of={BY.find(([name]) => name === by)?.[1] ?? ""}
        lines={sums.slice(0, most)}
        columns={[causeOf(largest), MONEY, PER_STEP, TOKENS, TIME]}
      />
      {sums.length > most && (
        <button type="button" class="link more" onClick={() => setMost(most + 200)}>
          Show more ({sums.length - most})
        </button>
      )}
    </>
  );
}

const BAR_PX = 160;

function CauseBar({ causes, largest }: { readonly causes: Sum["causes"]; readonly largest: number }) {
  const shares = CAUSES.map((cause) => ({ cause, width: (causes[cause] / largest) * BAR_PX }));
  const all = CAUSES.reduce((total, cause) => total + causes[cause], 0) || 1;
  const words = CAUSES.filter((cause) => causes[cause] > 0)
    .map((cause) => `${cause} ${Math.round((causes[cause] / all) * 100)} %`)
    .join(", ");
  let x = 0;
  return (
    <svg class="bar" width={BAR_PX} height="10" role="img" aria-label={words || "nothing"}>
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
