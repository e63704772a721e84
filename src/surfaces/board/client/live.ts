/** Live events: one stream for the whole page, reopened whenever it breaks. */
import { signal } from "@preact/signals";
import type { ShownEvent } from "../wire.ts";
import { openSession, RefusedError, session } from "./api.ts";

export type Line = "connecting" | "live" | "offline" | "closed";

/** `closed`: the server answers, but no longer knows this browser. */
export const line = signal<Line>("connecting");

type Listener = (event: ShownEvent | null) => void;
const listeners = new Set<Listener>();

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 8_000;
let source: EventSource | null = null;
let retryMs = FIRST_RETRY_MS;
let timer: ReturnType<typeof setTimeout> | undefined;
/**
 * The positions in all logs before the page's first request, so that the stream sends what happened since.
 * Empty: not known.
 */
let since = document.querySelector<HTMLMetaElement>('meta[name="pawl-since"]')?.content ?? "";

/**
 * Calls back with each event, and with null after a break in the stream, because any event may have been
 * missed.
 */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function goLive(): void {
  connect(false);
  addEventListener("online", () => retry(0));
  // A page in the browser's back/forward cache keeps no stream open.
  addEventListener("pagehide", () => source?.close());
  addEventListener("pageshow", (shown) => {
    if (shown.persisted) connect(true);
  });
}

function connect(isAgain: boolean): void {
  clearTimeout(timer);
  source?.close();
  const begun = since;
  // A later stream starts at its own beginning, and the page reloads all its data.
  since = "";
  const opened = new EventSource(`/api/events${begun && `?since=${encodeURIComponent(begun)}`}`);
  source = opened;
  opened.addEventListener("open", () => {
    const wasBroken = isAgain || line.value === "offline";
    line.value = "live";
    retryMs = FIRST_RETRY_MS;
    if (wasBroken) emit(null);
  });
  opened.addEventListener("hello", () => {
    if (begun === "" && !isAgain) emit(null);
  });
  opened.addEventListener("logged", (message) => {
    emit(JSON.parse(message.data) as ShownEvent);
  });
  // Too many events were missed, so the page reloads its data.
  opened.addEventListener("reset", () => emit(null));
  opened.addEventListener("error", () => {
    if (source !== opened) return;
    opened.close();
    if (line.value !== "closed") line.value = "offline";
    retry(retryMs);
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  });
}

export function emit(event: ShownEvent | null): void {
  for (const listener of listeners) listener(event);
}

/** Opens the session first, because a restarted server has another token, or does not know this browser. */
function retry(afterMs: number): void {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    try {
      await openSession();
      connect(true);
    } catch (failure) {
      const isUnknown = failure instanceof RefusedError && (failure.status === 401 || failure.status === 403);
      line.value = isUnknown && session.value !== null ? "closed" : "offline";
      retry(retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }, afterMs);
}
