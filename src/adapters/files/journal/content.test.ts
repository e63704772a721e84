import { describe, expect, test } from "vitest";
import { bytesOf, contentOf } from "./content.ts";

describe("the content of a file", () => {
  test("is kept as text where it is text, else in base64, and comes back as it was", () => {
    const [text, other] = [Buffer.from("é\n"), Buffer.from([0xff, 0xfe, 0])];
    expect([text, other].map(contentOf)).toEqual([{ text: "é\n" }, { base64: "//4A" }]);
    for (const bytes of [text, other, Buffer.of()])
      expect(Buffer.from(bytesOf(contentOf(bytes)))).toEqual(bytes);
  });
});
