/**
 * The applied marker, outside the project: how much of the journal is applied, so that a person's later edit
 * of an applied file is not seen as an obstacle; and below which epoch no journal counts. It is never synced,
 * so it is trusted only within the same start of the machine: after a power cut it may be ahead of the files.
 */

import { hashOf } from "../../../core/hash.ts";
import type { Disk } from "../disk.ts";
import type { ProjectKey } from "../project-key.ts";
import { FIRST, type Head } from "./record.ts";

export interface Applied extends Head {
  /** The length of the journal's applied part, in bytes. */
  readonly length: number;
}

export interface Marker extends Applied {
  /** Whether it was written since the machine started: then it matches the files. */
  readonly isCurrent: boolean;
}

const MARKER = "applied";
/** Bytes. One short write of fixed width: no reader gets half of it, and it needs no truncation. */
const WIDTH = 256;
const LINE = /^(pawl-applied 2 (\S+) (\d{1,15}) (\d{1,15}) (\d{1,15}) ([0-9a-f]{64})) ([0-9a-f]{16})\s*$/;

/** Null if the marker is missing or torn. */
export function readMarker(disk: Disk, projectKey: ProjectKey): Marker | null {
  const match = LINE.exec(projectKey.read(MARKER, WIDTH) ?? "");
  if (match === null || seal(match[1] ?? "") !== match[7]) return null;
  const boot = disk.bootId();
  return {
    epoch: Number(match[3]),
    length: Number(match[4]),
    sequence: Number(match[5]),
    mac: match[6] ?? FIRST,
    isCurrent: boot !== null && match[2] === boot,
  };
}

export function writeMarker(
  disk: Disk,
  projectKey: ProjectKey,
  { epoch, length, sequence, mac }: Applied,
): void {
  const text = `pawl-applied 2 ${disk.bootId()} ${epoch} ${length} ${sequence} ${mac}`;
  projectKey.write(MARKER, `${`${text} ${seal(text)}`.padEnd(WIDTH - 1)}\n`);
}

/**
 * The start of an empty journal: in an epoch that no journal of this project has used, even if the marker is
 * lost.
 */
export function emptyStart(disk: Disk, marker: Marker | null): Applied {
  const epoch = Math.max((marker?.epoch ?? 0) + 1, disk.now().getTime());
  return { epoch, length: 0, sequence: marker?.sequence ?? 0, mac: FIRST };
}

function seal(text: string): string {
  return hashOf(text).slice(0, 16);
}
