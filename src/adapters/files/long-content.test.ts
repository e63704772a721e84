import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { hashOfBytes, noteText, readKnown, textOfBytes } from "./long-content.ts";

const LONG = "- {id: T, title: a täsk}\n".repeat(4000);
const bytesOf = (text: string) => Buffer.from(text);
const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const decode = (bytes: Uint8Array) => Buffer.from(bytes).toString();

/** A file of which so much is read at a time. */
const file = (bytes: Uint8Array) => (offset: number, length: number) =>
  bytes.subarray(offset, offset + length);

describe("a long content", () => {
  test("is hashed and decoded as any other, however often and in whatever order", () => {
    const contents = ["a", "b", "c", "d", "e", "f", ""].map((end) => bytesOf(`${LONG}${end}`));
    for (const at of [0, 1, 0, 2, 3, 4, 5, 6, 0, 5, 5, 1, 6]) {
      const bytes = Buffer.from(contents[at] as Uint8Array);
      expect(hashOfBytes(bytes)).toBe(hash(bytes));
      expect(textOfBytes(Buffer.from(bytes), decode)).toBe(bytes.toString());
    }
  });

  test("is decoded once, and not at all where its text was known", () => {
    let count = 0;
    const counted = (bytes: Uint8Array) => {
      count++;
      return decode(bytes);
    };
    const once = bytesOf(`${LONG}once`);
    for (const _ of [1, 2, 3]) textOfBytes(Buffer.from(once), counted);
    expect(count).toBe(1);
    const noted = bytesOf(`${LONG}noted`);
    noteText(noted, `${LONG}noted`);
    expect([textOfBytes(Buffer.from(noted), counted), count]).toEqual([`${LONG}noted`, 1]);
  });

  test("that is no text is remembered as none", () => {
    let count = 0;
    const none = () => {
      count++;
      return null;
    };
    const bytes = bytesOf(`${LONG}none`);
    expect([textOfBytes(bytes, none), textOfBytes(Buffer.from(bytes), none), count]).toEqual([null, null, 1]);
  });

  test("has the text that its bytes say, where half a letter was to be written", () => {
    const text = `${LONG}\ud800`;
    const bytes = bytesOf(text);
    noteText(bytes, text);
    expect(textOfBytes(Buffer.from(bytes), decode)).toBe(`${LONG}\ufffd`);
  });

  test("that is short or huge is not kept", () => {
    for (const bytes of [bytesOf("short"), Buffer.alloc(2 * 1024 * 1024 + 1, "x")]) {
      expect(hashOfBytes(bytes)).toBe(hash(bytes));
      expect(readKnown(bytes.length, file(bytes))).toBeNull();
    }
  });
});

describe("the file of a known content", () => {
  const known = bytesOf(`${LONG}${LONG}known`);
  const changed = (at: number) => {
    const bytes = Buffer.from(known);
    bytes[at] = 0;
    return bytes;
  };

  test("is read without room for it, where it has the very same", () => {
    hashOfBytes(known);
    expect(readKnown(known.length, file(Buffer.from(known)))).toBe(known);
  });

  test.each([
    ["has another first byte", changed(0)],
    ["has another last byte", changed(known.length - 1)],
    ["has another byte in the middle", changed(64 * 1024)],
    ["has grown meanwhile", Buffer.concat([known, bytesOf("x")])],
    ["has become shorter meanwhile", known.subarray(0, known.length - 1)],
    ["is empty now", Buffer.of()],
  ])("is read as it is where it %s", (_, bytes) => {
    hashOfBytes(known);
    expect(readKnown(known.length, file(bytes))).toBeNull();
  });

  test("is not looked for where its size is another", () => {
    hashOfBytes(known);
    const read = () => {
      throw new Error("read");
    };
    expect(readKnown(known.length + 1, read)).toBeNull();
  });
});
