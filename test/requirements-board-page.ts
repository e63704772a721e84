import type { Requirement } from "./requirements.ts";

const PAGES = "test/browser/pages.slow.test.ts";
const REVIEW = "test/browser/review.slow.test.ts";

/** What the page of `pawl board` promises to whoever sits before it. */
export const BOARD_PAGE: Readonly<Record<string, Requirement>> = {
  "board-page.accessible": {
    says: "No page of the board breaks a rule of WCAG 2.2 AA that can be measured, from 320 pixels to 4K, light and dark.",
    source: "board, quality bar",
    tests: [
      `${PAGES}: breaks no rule of accessibility and fits, %i pixels wide, %s`,
      `${PAGES}: can be read at twice its size, and in a window as wide as a watch is tall`,
      `${PAGES}: moves the focus to the page that is gone to, and names it`,
    ],
  },
  "board-page.hostile": {
    says: "No word of an agent, a file or a project runs, hides or breaks the layout on the board.",
    source: "board, quality bar",
    tests: [
      `${PAGES}: runs nothing that stands in a text, and keeps its form, narrow and wide`,
      "test/architecture.test.ts: lets the board's page write no markup but its own: texts of others are text nodes",
    ],
  },
  "board-page.keyboard": {
    says: "A whole review can be done by keyboard, from the inbox to the receipt, with points on lines.",
    source: "board, quality bar",
    tests: [
      `${REVIEW}: goes from the inbox to the receipt by keyboard alone, with points on a line and on a decision`,
      `${REVIEW}: is approved with one key and Enter`,
    ],
  },
  "board-page.words-kept": {
    says: "What a person has written survives a reload, a restart of the server, another's verdict and a new version.",
    source: "board, quality bar",
    tests: [
      `${REVIEW}: keeps notes, points and marks through a reload`,
      `${REVIEW}: goes on after the server's restart: it says that it is offline, catches up, and its notes are sent`,
      `${REVIEW}: takes one of two tabs' verdicts; the other sees what happened and loses no word`,
      `${REVIEW}: keeps what was written when what is judged changes under it, and says that it did`,
    ],
  },
  "board-page.first-view": {
    says: "The board's first view weighs at most 120 KB, compressed, and asks no other host for anything.",
    source: "board, quality bar",
    tests: [
      "test/browser/size.test.ts: shows its first view with no more than 120 KB, compressed, programs and style together",
      "test/browser/size.test.ts: has no script and no style in its markup, and asks no other host for anything",
    ],
  },
  "board-page.large-files": {
    says: "A difference of any length is drawn where it is in view, and nowhere else.",
    source: "board, browser",
    tests: [`${REVIEW}: draws only what is in view of a file of twenty thousand lines`],
  },
  "board-page.live": {
    says: "What happens is on the page by itself, and a page that is closed costs nothing.",
    source: "board, browser",
    tests: [`${PAGES}: shows what happens without being asked, and nothing to a page that is closed`],
  },
};
