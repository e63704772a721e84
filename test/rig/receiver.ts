/** A receiver of notices on loopback. */
import { existsSync } from "node:fs";
import { openNoticeStore } from "../../src/adapters/notify/notice-store.ts";
import type { Notice } from "../../src/core/notice.ts";
import { type Answer, Loopback, type LoopbackRequest } from "./loopback.ts";
import { stateOf } from "./state-home.ts";
import { until } from "./until.ts";

export class Receiver extends Loopback {
  static open(answer: (asked: LoopbackRequest) => Answer = () => ({})): Promise<Receiver> {
    return new Receiver(answer).listen();
  }

  /** What it was told at that path, in order. */
  at(path: string): readonly LoopbackRequest[] {
    return this.asked.filter((each) => each.path === path);
  }

  /** The notices in signed JSON, whoever signed them. */
  get notices(): readonly Notice[] {
    return this.at("/hook").map(({ body }) => JSON.parse(body) as Notice);
  }
}

/** Until no sender of the project is at work, and nobody wishes for one. Every command that could wish has ended. */
export async function sendersDone(root: string): Promise<void> {
  const state = stateOf(root);
  if (!existsSync(`${state.folder}/notices`)) return;
  const place = openNoticeStore(state);
  await until(async () => {
    if (place.isAsked()) return false;
    const lock = await place.tryLock();
    lock?.release();
    return lock !== null;
  });
}
