/** Why the venue, by its documentation, turns a request down before it builds calldata: nothing has happened. */
export type RefusalKind =
  'session' | 'day-only' | 'deadline' | 'deferred' | 'delegation' | 'signature' | 'cancel' | 'validation';

export type Refusal = Readonly<{
  kind: RefusalKind;
  /** Of `session`: the session that the venue says it is in, in its words. */
  session?: string;
}>;

type Rule = Readonly<{ kind: RefusalKind; text: RegExp }>;

const FIELD =
  'stockAddress|side|type|quantity|notional|price|timeInForce|deadline|gasLimit|deferred|orderId|txHash|' +
  'userAddress|tokenAddress|tokenAmount|creditAmount';

/**
 * The documented refusals, by their text: a code alone proves nothing. The documentation tells what each text says, not
 * its exact words, so a rule asks for the words that cannot be missing.
 */
const RULES: readonly Rule[] = [
  { kind: 'session', text: /market order.*only supported.*regular trading session/i },
  { kind: 'day-only', text: /timeInForce.*only supports.*\bDAY\b/i },
  { kind: 'deferred', text: /deferred sell.*not allowed|address is restricted/i },
  {
    kind: 'delegation',
    text: /(one click|1ct|delegation).*not (be )?enabled?\b|userAddress.*not (bound|configured)/i,
  },
  { kind: 'signature', text: /\bsignature\b.*\b(user|wallet|signer)\b/i },
  { kind: 'cancel', text: /only limit orders.*cancel|order.*(is not open|already cancell?ing)/i },
  { kind: 'deadline', text: /deadline.*(expired|passed|in the past)|expired deadline/i },
  {
    kind: 'validation',
    text: new RegExp(
      `(?<![\\w-])(${FIELD})\\b.*\\b(required|missing|invalid|must)\\b|validation (error|failed)`,
      'i',
    ),
  },
];

/** A text that speaks of the chain tells of something that was submitted, whatever else it says. */
const ON_CHAIN = /revert|on.?chain|transaction|\btx\b|nonce|submitted|broadcast|receipt|\bgas\b/i;
/** One that speaks of what broke behind the venue tells nothing of how far the request had come. */
const BROKEN =
  /internal|time(d )?.?out|upstream|gateway|relayer|\bserver|\bnode\b|\brpc\b|response|failed to|unexpected/i;

const SESSION = /pre.?market|after.?hours|post.?market|overnight|closed/i;

/** The refusal that a text documents, or null: then the text proves nothing, as one of a kind that is not believed. */
export function refusalOf(text: string, believed: ReadonlySet<RefusalKind>): Refusal | null {
  if (ON_CHAIN.test(text) || BROKEN.test(text)) return null;
  const rule = RULES.find((candidate) => candidate.text.test(text));
  if (!rule || !believed.has(rule.kind)) return null;
  const session = rule.kind === 'session' ? SESSION.exec(text)?.[0] : undefined;
  return { kind: rule.kind, ...(session === undefined ? {} : { session }) };
}
