/** A dialog with all keys of the present page. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { keysEnabled, scopes, setKeysEnabled } from "./keys.ts";
import { Key } from "./notice.tsx";

const isShown = signal(false);

export function openHelp(): void {
  isShown.value = true;
}

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isShown.value) dialog.current?.showModal();
  }, [isShown.value]);
  if (!isShown.value) return null;
  const close = () => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-labelledby="help-title"
      onClose={() => {
        isShown.value = false;
      }}
      onKeyDown={(pressed) => pressed.key === "?" && close()}
    >
      <div class="help-head">
        <h2 id="help-title">Keys</h2>
        <button type="button" onClick={close}>
          Close <Key keys="Esc" />
        </button>
      </div>
      {scopes.value.toReversed().map((scope) => (
        <section key={scope.title}>
          <h3>{scope.title}</h3>
          <dl class="key-list">
            {scope.keys().map(({ keys, words }) => (
              <div key={keys}>
                <dt>
                  {(keys === " " ? ["Space"] : keys.split(" ")).map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{words}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={keysEnabled.value}
          onChange={({ currentTarget }) => setKeysEnabled(currentTarget.checked)}
        />
        Single keys do something (turn this off if they get in the way of dictation)
      </label>
    </dialog>
  );
}
