/** The origin of notices: a project, and its fields in a notice. */
import { realpathSync } from "node:fs";
import { basename } from "node:path";
import { boardOf } from "../../config/board-file.ts";
import { stateFolder } from "../../config/state-home.ts";
import type { Settings } from "../../core/settings.ts";
import type { NoticeContext } from "../../runtime/reports/notices.ts";
import { projectKey } from "../../surfaces/board/server/projects.ts";
import type { ProjectLocation } from "../with-project.ts";

export interface NoticesContext extends ProjectLocation {
  settings(): Promise<Settings>;
  now(): Date;
}

export function noticeContext(
  { environment, root }: Pick<NoticesContext, "environment" | "root">,
  now: Date,
): NoticeContext {
  const board = boardOf(stateFolder(root, environment))?.url ?? null;
  return {
    project: basename(root),
    board,
    pages: board && `${board}#/${projectKey(realpathSync(root))}`,
    time: now.toISOString(),
  };
}
