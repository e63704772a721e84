/** The checks on the work with their output, and the costs of the work. */
import type { Review, ReviewCheck, ReviewCost } from "../../../../runtime/review/model.ts";
import { type CostColumn, CostTable, MONEY, TIME, TOKENS } from "../cost-table.tsx";
import { renderDuration, renderLarge, renderMinutes, renderUsd } from "../moment.tsx";
import { Badge, type Badged } from "../notice.tsx";
import { Part } from "../part.tsx";
import { OneLine, oneLine, Words } from "../words.tsx";

const STATE: Readonly<Record<ReviewCheck["state"], Badged>> = {
  failed: { words: "Failed", tone: "bad" },
  running: { words: "Running", tone: "warn" },
  unknown: { words: "Not run", tone: "warn" },
  passed: { words: "Passed", tone: "good" },
};
const EMPTY: Badged = { words: "Ran no test", tone: "warn" };
const ORDER = Object.keys(STATE);

export function Checks({ checks }: { readonly checks: Review["checks"] }) {
  if (checks.length === 0) return null;
  const sorted = checks.toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
  return (
    <Part title="Checks" place="checks">
      <ul class="checks">
        {sorted.map((check, at) => (
          <li key={at}>
            <Check check={check} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Check({ check }: { readonly check: ReviewCheck }) {
  const { tone, words } = check.empty ? EMPTY : (STATE[check.state] ?? STATE.unknown);
  const about = [
    check.exit === null ? "" : `exit ${check.exit}`,
    renderDuration(check.duration_ms),
    check.on === null ? "" : `on ${oneLine(check.on).slice(0, 12)}`,
  ].filter((part) => part !== "");
  return (
    <details class="check-box" open={check.state === "failed" || check.state === "unknown"}>
      <summary>
        <Badge tone={tone}>{words}</Badge>
        <strong>
          <OneLine text={check.name} max={60} />
        </strong>
        {check.command !== null && check.command !== check.name && (
          <code class="quiet">
            <OneLine text={check.command} max={120} />
          </code>
        )}
        <span class="quiet small check-about" title={check.on ?? undefined}>
          {about.join(" · ")}
        </span>
      </summary>
      {check.tail === "" ? (
        <p class="quiet small">It printed nothing.</p>
      ) : (
        <Words
          text={check.tail}
          isCode
          fromEnd
          max={8_000}
          label={
            check.state === "unknown"
              ? `Why ${oneLine(check.name, 60)} was not run`
              : `The end of what ${oneLine(check.name, 60)} printed`
          }
        />
      )}
      {check.log !== null && (
        <p class="small quiet">
          All of it: <code>{oneLine(check.log, 400)}</code>
        </p>
      )}
    </details>
  );
}

export function Cost({ cost }: { readonly cost: ReviewCost }) {
  const { minutes, tokens, tries, usd } = cost;
  const parts = [
    usd === null ? null : { title: "Money", words: renderUsd(usd) },
    tokens === null ? null : { title: "Tokens", words: renderLarge(tokens) },
    minutes === null ? null : { title: "Time", words: renderMinutes(minutes) },
    tries === null ? null : { title: "Tries", words: String(tries) },
  ].filter((part) => part !== null);
  if (parts.length === 0 && cost.steps.length === 0) return null;
  return (
    <Part title="Cost so far">
      <dl class="figures">
        {parts.map(({ title, words }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      {cost.steps.length > 0 && (
        <CostTable label="Cost by step" of="Step" lines={cost.steps} columns={[MONEY, TOKENS, TIME, TRIES]} />
      )}
    </Part>
  );
}

const TRIES: CostColumn<ReviewCost["steps"][number]> = {
  ...{ title: "Tries", isNumber: true },
  cell: ({ tries }) => tries ?? "–",
};
