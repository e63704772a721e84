/**
 * A gate that was answered elsewhere: a client that subscribed to a resource of the run is told that it changed, and one that
 * wants log messages gets one. Both wake; what was decided is in the run.
 */
import { InMemoryServerEventBus, type ServerEventBus } from "@modelcontextprotocol/server";
import type { Resource, WorkflowModule } from "../../runtime/module.ts";
import { isLogged } from "./call.ts";
import type { Decided, Follower } from "./follow.ts";
import type { Gate } from "./gate.ts";
import { uriFor } from "./resources.ts";
import type { Serving } from "./serving.ts";

/** Of one connection. */
const MOST_SUBSCRIBED = 256;

/** For one connection; `gate`: of standard input. */
export function wakeOn(
  serving: Serving,
  follower: Follower,
  era: "legacy" | "modern",
  gate: Gate | null,
): void {
  const { server } = serving;
  const subscribed = new Set<string>();
  let stop: (() => void) | null = null;
  const heard = ({ run, summary }: Decided) => {
    // For a client of 2026 the connection knows who wants it.
    for (const uri of urisOf(serving.templates.values(), run))
      if (era === "modern" || subscribed.has(uri))
        void server.server.sendResourceUpdated({ uri }).catch(() => {});
    if (!isLogged(serving, "notice")) return;
    const data = { run, message: `A person decided: ${summary}` };
    void server.server.sendLoggingMessage({ level: "notice", logger: "pawl", data }).catch(() => {});
  };
  const begin = () => {
    stop ??= follower.follow(heard);
  };
  const { setRequestHandler } = server.server;
  const on: typeof setRequestHandler = setRequestHandler.bind(server.server);
  on("logging/setLevel", ({ params }) => {
    serving.logLevel = params.level;
    begin();
    return {};
  });
  on("resources/subscribe", ({ params }) => {
    if (subscribed.size < MOST_SUBSCRIBED) subscribed.add(params.uri);
    begin();
    return {};
  });
  on("resources/unsubscribe", ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  gate?.hear("subscriptions/listen", begin);
  server.server.onclose = () => stop?.();
}

/** For clients of 2026 over HTTP, whose subscriptions are streams of their own. */
export function openBus(modules: readonly WorkflowModule[], follower: Follower): ServerEventBus {
  const bus = new InMemoryServerEventBus();
  const heard = async ({ run }: Decided) => {
    const resources = (await Promise.all(modules.map((module) => module.resources()))).flat();
    for (const uri of urisOf(resources, run)) bus.publish({ kind: "resource_updated", uri });
  };
  return {
    publish: (event) => bus.publish(event),
    subscribe(listener) {
      const leave = bus.subscribe(listener);
      const stop = follower.follow((decided) => void heard(decided).catch(() => {}));
      return () => {
        leave();
        stop();
      };
    },
  };
}

/** The resources that are about the run. */
function* urisOf(resources: Iterable<Resource>, run: string): Iterable<string> {
  const [, workflow = "", id = ""] = /^([^:]*):(.*)$/s.exec(run) ?? [];
  for (const { uri, ids } of resources)
    if (ids !== undefined && uri.startsWith(`pawl://${workflow}/`)) yield uriFor(uri, id);
}
