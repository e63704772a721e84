/**
 * Jira's address and credentials: `JIRA_BASE_URL` with `ATLASSIAN_EMAIL` and `ATLASSIAN_API_TOKEN`, or under their
 * earlier names `JIRA_HOST` with `JIRA_EMAIL` and `JIRA_API_TOKEN`. The set that gives the address takes precedence for
 * the rest, so that no token goes to the other set's address.
 */
type Environment = Readonly<Record<string, string | undefined>>;

export interface AtlassianSetting {
  readonly address: string | undefined;
  readonly email: string | undefined;
  readonly token: string | undefined;
  /** The variable that holds the token, or should hold it. */
  readonly tokenVariable: "ATLASSIAN_API_TOKEN" | "JIRA_API_TOKEN";
}

export function readJira(environment: Environment): AtlassianSetting {
  const { ATLASSIAN_API_TOKEN, ATLASSIAN_EMAIL, JIRA_API_TOKEN, JIRA_BASE_URL, JIRA_EMAIL, JIRA_HOST } =
    environment;
  const names = { email: ATLASSIAN_EMAIL, token: ATLASSIAN_API_TOKEN };
  const earlier = { email: JIRA_EMAIL, token: JIRA_API_TOKEN };
  const isEarlier = !JIRA_BASE_URL && Boolean(JIRA_HOST);
  const [first, second] = isEarlier ? [earlier, names] : [names, earlier];
  const access = first.token ? first : second.token ? second : first;
  return {
    address: JIRA_BASE_URL || JIRA_HOST,
    // Only an email of the same person: if both tokens are set, the other email belongs to the other token.
    email: access.email || (first.token && second.token ? undefined : second.email || first.email),
    token: access.token,
    tokenVariable: access === earlier ? "JIRA_API_TOKEN" : "ATLASSIAN_API_TOKEN",
  };
}
