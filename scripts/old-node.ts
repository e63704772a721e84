/** The Node of the person who installs a checkout: npm runs the scripts themselves on the checkout's own. */

const NEEDED = [22, 12] as const;

/** A warning where it cannot run `pawl`, from npm's `npm_config_user_agent`; null: it can, or it is unknown. */
export function oldNode(userAgent = ""): string | null {
  const [, major = "", minor = ""] = /\bnode\/v(\d+)\.(\d+)\./.exec(userAgent) ?? [];
  const [found, least] = [Number(major), Number(minor)];
  const isOld = major !== "" && (found < NEEDED[0] || (found === NEEDED[0] && least < NEEDED[1]));
  return isOld
    ? `Your Node is ${major}.${minor}, and pawl needs ${NEEDED.join(".")} or newer: it is built, but it will not start. Install a newer Node first.`
    : null;
}
