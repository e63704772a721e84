/** How long a call waits for others: until its client calls it off. */
import { SdkError, SdkErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import type { Waiting } from "../../core/ports/checks.ts";

/** While the client waits, it can cancel the call, and gets progress notifications if it asked for them. */
export function waitingOf({ mcpReq }: ServerContext): Required<Pick<Waiting, "stop">> & Waiting {
  const stop = cancellationOf(mcpReq.signal);
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { stop };
  let progress = 0;
  const onWait = (message: string) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // A client that no longer listens must not turn a wait into a failure.
    void mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  return { stop, onWait };
}

/** A closed connection is not a cancellation: the call still runs to its end. */
function cancellationOf(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    const isGone = signal.reason instanceof SdkError && signal.reason.code === SdkErrorCode.ConnectionClosed;
    if (!isGone) controller.abort(signal.reason);
  };
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return controller.signal;
}
