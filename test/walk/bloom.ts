/** A task of one step from its look to its merge, in memory: what is followed is the product, not git or an agent's program. */
import { openStage } from "../rig/schedule/stage.ts";

const stage = openStage({
  tasks:
    "tasks:\n- {id: T1, title: t, repo: ., merge_into: main, verify: [check], steps: [{id: s1, instruction: x}]}\n",
  once: true,
  async agent({ stepDone }) {
    await stepDone("s1");
    return undefined;
  },
});
stage.git.onPublish = () => (globalThis as unknown as { endWalk(): void }).endWalk();
await stage.end();
