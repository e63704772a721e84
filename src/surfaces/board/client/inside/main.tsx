/** The board's review as an app inside a client: the same components, with requests through the client. */
import { App } from "@modelcontextprotocol/ext-apps";
import { signal } from "@preact/signals";
import { render } from "preact";
import type { Refused } from "../../wire.ts";
import { announced } from "../announce.ts";
import { refusedOf, session, setAnswerer } from "../api.ts";
import { Help, openHelp } from "../help.tsx";
import { listenToKeys } from "../keys.ts";
import { emit } from "../live.ts";
import { Key, Problem, Skeleton } from "../notice.tsx";
import { ReviewPage } from "../review/page.tsx";
import { hasPages } from "../route.ts";
import { answererBy } from "./answerer.ts";
import { followSize, mayFill, sendDecision, wearHost } from "./host.ts";

declare const PAWL_VERSION: string;

/** The run to show; null: the client has not named it yet; empty: the first one that waits. */
const run = signal<string | null>(null);
const problem = signal<Refused | null>(null);

const app = new App(
  { name: "Pawl", title: "Pawl's review", version: PAWL_VERSION },
  { availableDisplayModes: ["inline", "fullscreen"] },
  { autoResize: false },
);

function Inside() {
  return (
    <div class="inside">
      <header class="inside-head">
        <span class="quiet small">Pawl</span>
        <span class="buttons">
          {mayFill.value && (
            <button type="button" class="plain small" onClick={() => void fill()}>
              Full screen
            </button>
          )}
          <button type="button" class="plain small" onClick={openHelp}>
            Keys <Key keys="?" />
          </button>
        </span>
      </header>
      <main id="main">
        {problem.value ? (
          <Problem refused={problem.value} />
        ) : run.value === null ? (
          <Skeleton />
        ) : (
          <ReviewPage
            key={run.value}
            project="client"
            run={run.value}
            decided={(done, approved) => void sendDecision(app, run.value ?? "", done, approved)}
          />
        )}
      </main>
      <div class="unseen" role="status" aria-live="polite">
        {announced.value}
      </div>
      <Help />
    </div>
  );
}

async function fill(): Promise<void> {
  const { mode } = await app.requestDisplayMode({ mode: "fullscreen" });
  wearHost({ ...app.getHostContext(), displayMode: mode });
}

/**
 * Shows the run. The call's result names it; in a client that does not pass that on, the call's arguments do.
 */
function show(named: unknown): void {
  if (typeof named === "string" && named !== run.value) run.value = named;
  else emit(null);
}

function runIn({ run, task_id: task }: Record<string, unknown> = {}): unknown {
  return run ?? task;
}

hasPages.value = false;
session.value = { csrf: "", readOnly: false, version: PAWL_VERSION, projects: [] };
setAnswerer(answererBy(app));
listenToKeys();
app.addEventListener("hostcontextchanged", () => wearHost(app.getHostContext() ?? {}));
let passed: unknown;
app.addEventListener("toolinput", ({ arguments: given }) => {
  passed = runIn(given);
});
app.addEventListener("toolresult", ({ _meta }) => show(_meta?.["pawl/run"] ?? passed ?? ""));
app.addEventListener("toolcancelled", () => show(passed ?? ""));
// The run may have been decided elsewhere meanwhile.
addEventListener("focus", () => emit(null));
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) emit(null);
});

const home = document.getElementById("app");
if (home) {
  render(<Inside />, home);
  app.connect().then(
    () => {
      wearHost(app.getHostContext() ?? {});
      followSize(app, home);
    },
    (failure) => {
      problem.value = refusedOf(failure);
    },
  );
}
