/**
 * Changes of a project in the database: by the server's notifications, and always by a query every few
 * seconds.
 */
import type { Watch } from "../../core/ports/watch.ts";
import type { Listener } from "./connections.ts";
import { CHANNEL, type StoredProject } from "./place.ts";

const LOOK_AGAIN = 5_000;

export function openWatch({ connections, project }: StoredProject): Watch {
  return {
    onChange(heard) {
      let listener: Listener | null = null;
      let isClosed = false;
      let isListening = false;
      let seen: string | undefined;
      const listen = async () => {
        isListening = true;
        const opened = await connections.listener(() => {
          isListening = false;
          listener = null;
        });
        if (isClosed) return opened?.close();
        listener = opened;
        isListening = opened !== null;
        await opened?.listen(CHANNEL, (payload) => payload === project && heard());
        // For commits before it listened.
        heard();
      };
      const look = async () => {
        if (!isListening) listen().catch(() => {});
        const [row] = await connections.query<{ revision: string }>(
          "select revision from pawl.project where id = $1",
          [project],
        );
        if (seen !== undefined && row?.revision !== seen) heard();
        seen = row?.revision;
      };
      const quietly = () => void look().catch(() => {});
      const timer = setInterval(quietly, LOOK_AGAIN).unref();
      quietly();
      return {
        close() {
          isClosed = true;
          clearInterval(timer);
          listener?.close();
        },
      };
    },
  };
}
