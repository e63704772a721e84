/** The page on which a device signs in: with its passkey, or with the code that the terminal shows. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Refused, Session } from "../wire.ts";
import { get, post, refusedOf } from "./api.ts";
import { Problem } from "./notice.tsx";
import { askPasskey, makePasskey, whyNoPasskey } from "./passkey.ts";
import { wearTheme } from "./theme.ts";

type Json = Readonly<Record<string, unknown>>;

/** Of the QR code. It leaves the address bar at once, and so the browser's history. */
const SCANNED = location.hash.slice(1);
if (SCANNED !== "") history.replaceState(null, "", location.pathname);
addEventListener("hashchange", () => location.reload());

function Entrance() {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Refused | null>(null);
  const lacking = whyNoPasskey();
  const come = async (way: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    try {
      await way();
      location.replace("/");
    } catch (failure) {
      setProblem(refusedOf(failure));
      setBusy(false);
    }
  };
  // One that is in already only opened the address anew.
  useEffect(() => {
    if (SCANNED === "")
      void get<Session>("/api/session").then(
        () => location.replace("/"),
        () => {},
      );
  }, []);
  return (
    <main class="alone">
      <h1>Pawl: sign in</h1>
      {SCANNED === "" && lacking === null && (
        <button type="button" class="primary" disabled={isBusy} onClick={() => void come(withPasskey)}>
          Come in with this device's passkey
        </button>
      )}
      {problem && <Problem refused={problem} />}
      <NewDevice isBusy={isBusy} lacking={lacking} come={come} />
    </main>
  );
}

function NewDevice({
  come,
  isBusy,
  lacking,
}: {
  readonly come: (way: () => Promise<unknown>) => Promise<void>;
  readonly isBusy: boolean;
  readonly lacking: string | null;
}) {
  const [code, setCode] = useState(SCANNED);
  const [name, setName] = useState("");
  const isReady = !isBusy && code.trim() !== "" && name.trim() !== "";
  const order = { secret: code, name };
  return (
    <section class="verdict-form" aria-labelledby="new-device">
      <h2 id="new-device">Let this device in</h2>
      {SCANNED === "" && (
        <label>
          <span class="label">The code that the terminal shows</span>
          <input
            class="mono"
            type="text"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            maxLength={64}
            value={code}
            onInput={({ currentTarget }) => setCode(currentTarget.value)}
          />
        </label>
      )}
      <label>
        <span class="label">A name for this device</span>
        <input
          type="text"
          autocomplete="off"
          maxLength={40}
          placeholder="My phone"
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <button
          type="button"
          class="primary"
          disabled={!isReady || lacking !== null}
          onClick={() => void come(() => withNewPasskey(order))}
        >
          Make a passkey
        </button>
        <button
          type="button"
          disabled={!isReady}
          onClick={() => void come(() => post("/enter/cookie", order))}
        >
          Without a passkey
        </button>
      </div>
      <p class="quiet small">
        With a passkey, this device may approve: it asks for your finger, face or PIN each time. Without one,
        it reads, answers and rejects. {lacking}
      </p>
    </section>
  );
}

async function withPasskey(): Promise<void> {
  const answer = await askPasskey(await post<Json>("/enter/challenge", {}));
  await post("/enter/passkey", { answer });
}

async function withNewPasskey(order: { readonly secret: string; readonly name: string }): Promise<void> {
  const answer = await makePasskey(await post<Json>("/enter/options", order));
  await post("/enter/register", { ...order, answer });
}

wearTheme();
const home = document.getElementById("app");
if (home) render(<Entrance />, home);
