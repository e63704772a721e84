/** Earlier rounds: what was requested. */

import { loginWords } from "../../../../core/strength.ts";
import type { Round } from "../../../../runtime/review/model.ts";
import { renderPlace } from "../../../../runtime/review/points.ts";
import { Ago } from "../moment.tsx";
import { Badge } from "../notice.tsx";
import { Part } from "../part.tsx";
import { OneLine, Words } from "../words.tsx";

export function History({ rounds }: { readonly rounds: readonly Round[] }) {
  if (rounds.length === 0) return null;
  return (
    <Part title="Earlier verdicts">
      <ol class="rounds">
        {rounds.toReversed().map((round, at) => (
          <li key={at}>
            <p class="round-head">
              <Badge tone={round.approved ? "good" : "bad"}>{round.approved ? "Approved" : "Rejected"}</Badge>
              <span>
                by{" "}
                <OneLine
                  text={`${round.by ?? (round.stage === "ai" ? "the assistant" : "a person")}${loginWords(round.login)}`}
                  max={160}
                />
              </span>
              <span class="quiet small">
                <Ago time={round.time} />
                {round.strength !== null && ` · ${round.strength}`}
                {round.artifact !== null && (
                  <span class="mono" title={`sha-256 ${round.artifact}`}>
                    {" · "}
                    {round.artifact.slice(0, 12)}
                  </span>
                )}
              </span>
            </p>
            {round.notes.trim() !== "" && <Words text={round.notes} max={1_500} />}
            {round.points.length > 0 && (
              <ul class="round-points">
                {round.points.map((point, index) => (
                  <li key={index}>
                    <div class="point-words">
                      {point.at && (
                        <OneLine class="mono small quiet" text={renderPlace(point.at)} max={160} />
                      )}
                      <Words text={point.text} max={1_000} />
                    </div>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </Part>
  );
}
