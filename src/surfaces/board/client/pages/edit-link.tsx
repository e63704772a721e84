import { session } from "../api.ts";
import { linkTo } from "../route.ts";

/** Only where a person may edit: neither on a board that only shows, nor on a device. */
export function EditLink({ project, run }: { readonly project: string; readonly run: string }) {
  if (session.value?.readOnly || session.value?.device) return null;
  return (
    <a class="button" href={linkTo("edit", project, run)}>
      Edit
    </a>
  );
}
