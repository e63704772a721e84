import type { Colouring } from "../../../runtime/review/pages.ts";

/** What the app needs from outside. */
export interface AppPorts {
  /** The app, as one HTML document. Throws where this installation lacks it. */
  document(): string;
  readonly coloursOf: Colouring;
}
