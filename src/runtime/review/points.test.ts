import fc from "fast-check";
import { expect, test } from "vitest";
import { type Point, parsePlace, pointsIn, renderPlace, withPoints } from "./points.ts";

const POINTS: readonly Point[] = [
  { text: "The limit is never reset.", at: { file: "src/server.ts", line: 12 } },
  { text: "Too long.", at: { file: "src/a b.ts", line: null } },
  { text: "What happens on a restart?", at: { field: "risk_analysis" } },
  { text: "Name the unit." },
];

test("points stand below the notes, one line each, and are found again", () => {
  const notes = withPoints("Nearly there.\n\n- not a point, as text follows\nIndeed.", POINTS);
  expect(notes.split("\n").slice(-4)).toEqual([
    "- [src/server.ts:12] The limit is never reset.",
    "- [src/a b.ts] Too long.",
    "- [field risk_analysis] What happens on a restart?",
    "- Name the unit.",
  ]);
  expect(pointsIn(notes)).toEqual({
    notes: "Nearly there.\n\n- not a point, as text follows\nIndeed.",
    points: POINTS,
  });
});

test("notes without points, and points without notes, are what they were", () => {
  expect(pointsIn(withPoints("Good.", []))).toEqual({ notes: "Good.", points: [] });
  expect(pointsIn(withPoints("", POINTS))).toEqual({ notes: "", points: POINTS });
});

test("a point of several lines becomes one line", () => {
  expect(withPoints("", [{ text: "One\n- [x:1] two", at: { file: "a\n]b", line: 1 } }])).toBe(
    "- [a )b:1] One - [x:1] two",
  );
});

test("no text breaks the reader, and a place is read as it is written", () => {
  fc.assert(fc.property(fc.string(), (text) => pointsIn(text).points.length >= 0));
  for (const text of ["a.ts:3", "a.ts", "field x", "C:/a.ts:7", ":4", "a.ts:12-15", "a.ts:3:x"])
    expect(renderPlace(parsePlace(text))).toBe(text);
  expect(parsePlace("a.ts:12-15")).toEqual({ file: "a.ts", line: 12, to: 15 });
  expect(parsePlace("a.ts:12")).toEqual({ file: "a.ts", line: 12 });
  expect(parsePlace("field  x ")).toEqual({ field: "x" });
});

test("points are found with blank lines below them, and only if a line begins with a dash", () => {
  expect(pointsIn("Notes.\n\n- One.\n\n")).toEqual({ notes: "Notes.", points: [{ text: "One." }] });
  expect(pointsIn("Notes - and more")).toEqual({ notes: "Notes - and more", points: [] });
  expect(withPoints(" Notes. ", [])).toBe("Notes.");
});
