/** `pawl watch` on a real terminal: what waits is seen, sent back and approved by keys, while others go on beside it. */
import { describe, expect, it } from "vitest";
import { MAIN, testEnvironment } from "../rig/project.ts";
import { releaseReady } from "../rig/release-project.ts";
import { HAS_TMUX, openScreen } from "../rig/tmux.ts";

const LONG = { timeout: 120_000 };
const RUN = "release:1.2.0";

describe("The screen of pawl watch", () => {
  it.skipIf(!HAS_TMUX)(
    "sends work back and approves it by one key each, and shows what others do",
    LONG,
    async () => {
      using project = releaseReady();
      const submit = async () =>
        expect((await project.pawl("cast", RUN, "submit", "--fact", "risk=low")).err).toBe("");
      const state = () => JSON.parse(project.read(".pawl/runs/release/1.2.0.json") ?? "{}").state;
      await submit();
      using screen = openScreen(`${process.execPath} ${MAIN} watch`, project.root, testEnvironment());
      const has =
        (...texts: readonly string[]) =>
        (lines: readonly string[]) =>
          texts.every((text) => lines.some((line) => line.includes(text)));
      // What the commands before have written stays on the screen that the list is drawn over.
      const last = (text: string) => (lines: readonly string[]) => lines.at(-1)?.startsWith(text) === true;
      const confirm = async () => {
        await screen.seen(last("Yes or no? [y/N]"));
        screen.type("y");
        screen.press("Enter");
        await screen.seen(last("Enter: back to the list."));
      };
      const first = await screen.seen(has("1 waiting for you", "Waits for you", `> ${RUN}`, "q quit"));
      expect(first.at(-1)).toContain("Enter look · a approve · r reject · l log · q quit");

      screen.press("r");
      await screen.seen(last("Why? (Enter alone: without a reason)"));
      screen.type("Name the unit.");
      screen.press("Enter");
      await confirm();
      expect(state()).toBe("drafting");
      expect((await project.pawl("show", RUN)).out).toContain("Name the unit.");
      screen.press("Enter");
      await screen.seen(has("0 waiting for you", `> ${RUN}`));

      await submit();
      await screen.seen(has("1 waiting for you", "a approve"));
      screen.press("a");
      await confirm();
      expect(state()).toBe("published");
      screen.press("Enter");
      await screen.seen(has("0 waiting for you", "Rests"));
      screen.press("q");
      expect(await screen.seen(last("exit "))).toContain("exit 0");
    },
  );

  it("says where it can be drawn, when that is not on a terminal", async () => {
    using project = releaseReady();
    const { code, err, out } = await project.pawl("watch");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("`pawl watch` needs a terminal");
  });
});
