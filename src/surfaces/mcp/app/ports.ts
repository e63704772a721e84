import type { Colouring } from "../../../runtime/review/pages.ts";

/** What the app needs from outside. */
export interface AppPorts {
  /** The app, as one HTML document. Throws where this installation lacks it. */
  document(): string;
  readonly coloursOf: Colouring;
  /** The page of the project's board that shows the run's review; null: no board runs. */
  reviewAddress(run: string): string | null;
}
