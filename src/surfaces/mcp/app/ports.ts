import type { Colouring } from "../../../runtime/review/pages.ts";

/** What the app needs from outside. */
export interface AppPorts {
  /** The app, as one HTML document. Throws if this installation lacks it. */
  document(): string;
  readonly coloursOf: Colouring;
  /** The board's page of the run's review; null: no board runs. */
  reviewAddress(run: string): string | null;
}
