/** Times, durations and amounts in short form, with the exact value in a title. */
import { signal } from "@preact/signals";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, MINUTE / 2);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) now.value = Date.now();
});

/** `3 h ago`, with the exact time in its title. */
export function Ago({ time }: { readonly time: string | null }) {
  const at = time === null ? Number.NaN : Date.parse(time);
  if (time === null || Number.isNaN(at)) return null;
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at)}>
      {renderAgo(at, Math.max(now.value, at))}
    </time>
  );
}

/** `14:05:09`, with the day in its title. */
export function Clock({ time }: { readonly time: string | null }) {
  const at = time === null ? Number.NaN : Date.parse(time);
  if (Number.isNaN(at)) return null;
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at)}>
      {new Date(at).toLocaleString(undefined, SHORT)}
    </time>
  );
}

const SHORT: Intl.DateTimeFormatOptions = {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
};

function exact(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });
}

function renderAgo(at: number, moment: number): string {
  const past = moment - at;
  if (past < MINUTE) return "just now";
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min ago`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h ago`;
  if (past < 30 * DAY) return `${Math.floor(past / DAY)} d ago`;
  return new Date(at).toISOString().slice(0, 10);
}

export function renderDuration(ms: number | null): string {
  if (ms === null) return "";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.round((ms % MINUTE) / 1_000)} s`;
  return `${Math.floor(ms / HOUR)} h ${Math.round((ms % HOUR) / MINUTE)} min`;
}

export function renderMinutes(minutes: number): string {
  if (minutes < 1) return "under a minute";
  if (minutes < 90) return `${Math.round(minutes)} min`;
  return `${Math.floor(minutes / 60)} h ${Math.round(minutes % 60)} min`;
}

export function renderUsd(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

export function renderCount(count: number, one: string): string {
  return `${renderNumber(count)} ${one}${count === 1 ? "" : "s"}`;
}

function renderNumber(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1.2 M`, `34 k`. */
export function renderLarge(count: number): string {
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)} M`;
  if (count >= 1e4) return `${Math.round(count / 1e3)} k`;
  return renderNumber(count);
}

export function renderBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
