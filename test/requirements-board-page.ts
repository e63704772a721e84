import type { Requirement } from "./requirements.ts";

/** What the page of `pawl board` promises to whoever sits before it. */
export const BOARD_PAGE = {
  "board-page.accessible": {
    says: "No page of the board breaks a rule of WCAG 2.2 AA that can be measured, from 320 pixels to 4K, light and dark.",
    source: "board, quality bar",
  },
  "board-page.hostile": {
    says: "No word of an agent, a file or a project runs, hides or breaks the layout on the board.",
    source: "board, quality bar",
  },
  "board-page.keyboard": {
    says: "A whole review can be done by keyboard, from the inbox to the receipt, with points on lines.",
    source: "board, quality bar",
  },
  "board-page.words-kept": {
    says: "What a person has written survives a reload, a restart of the server, another's verdict and a new version.",
    source: "board, quality bar",
  },
  "board-page.first-view": {
    says: "The board's first view weighs at most 120 KB, compressed, and asks no other host for anything.",
    source: "board, quality bar",
  },
  "board-page.large-files": {
    says: "A difference of any length is drawn where it is in view, and nowhere else.",
    source: "board, browser",
  },
  "board-page.live": {
    says: "What happens is on the page by itself, and a page that is closed costs nothing.",
    source: "board, browser",
  },
} satisfies Record<string, Requirement>;
