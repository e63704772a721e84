import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { compareVersions, partShown, SHOWN } from "./answer.ts";

describe("the part of an answer that has its words", () => {
  it.each(SHOWN)("is the one that the client shows its model: %j", ({ client, from, to, shows }) => {
    promise("mcp.words-reach-the-model");
    expect([partShown(client, from), partShown(client, to)]).toEqual([shows, shows]);
  });

  it.each(SHOWN)("is both for versions that nobody looked at: %j", ({ client, to }) => {
    promise("mcp.words-reach-the-model");
    const newest = SHOWN.filter((row) => row.client === client).map((row) => row.to);
    const last = newest.reduce((one, other) => (compareVersions(one, other) < 0 ? other : one), to);
    for (const version of [`${last}.1`, `${last}-beta`, "0", "", "latest"])
      expect(partShown(client, version), version).toBe("both");
  });

  it("is both for a client that nobody inspected", () => {
    expect([partShown("rig", "1.0.0"), partShown("claude-code-2", "2.1.332"), partShown()]).toEqual([
      "both",
      "both",
      "both",
    ]);
  });

  it("is the row's within its versions, by their numbers", () => {
    const rows = [
      { client: "it", from: "1.9.0", to: "1.10", shows: "text" },
      { client: "it", from: "1.11.0", to: "1.12.0", shows: "data" },
    ] as const;
    const versions = [
      "1.8.9",
      "1.9.0",
      "1.9.17",
      "1.10.0",
      "1.10.1",
      "1.11",
      "1.12.0",
      "1.12.1",
      "1.9.5-rc1",
    ];
    expect(versions.map((version) => partShown("it", version, rows))).toEqual([
      ...["both", "text", "text", "text", "both", "data", "data", "both", "both"],
    ]);
  });

  it("is known for the real clients, each version once", () => {
    expect(SHOWN.length).toBeGreaterThan(3);
    for (const { client, from, to, shows } of SHOWN) {
      expect(compareVersions(from, to), client).toBeLessThanOrEqual(0);
      expect(["text", "data", "both"]).toContain(shows);
      expect(
        SHOWN.filter(
          (row) =>
            row.client === client && compareVersions(row.to, from) >= 0 && compareVersions(row.from, to) <= 0,
        ),
      ).toHaveLength(1);
    }
  });
});
