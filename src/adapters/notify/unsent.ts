import { PawlError } from "../../core/error.ts";
import type { ReceiverName } from "../../core/notice.ts";

/** `why` must name no address and no secret. */
export function unsentNoticeError(
  receiver: ReceiverName,
  why: string,
  fix: string,
  cause?: unknown,
): PawlError {
  return new PawlError("notice-unsent", `The notice to ${receiver} was not sent: ${why}.`, fix, cause);
}
