import {
  NoAnswerError,
  OutcomeUnknownError,
  RateLimitedError,
  UnauthorizedError,
  VenueRefusedError,
  type DroverError,
} from '../core/errors.ts';
import { oneLine } from '../core/printable.ts';
import { MASK } from '../core/secrets.ts';
import type { Answer } from './envelope.ts';
import { labelOf, type Repeat, type Route } from './endpoint.ts';

/** Documented reasons why the venue refuses a request before it builds calldata: the request had no effect. */
export type RefusalKind =
  | 'session'
  | 'day-only'
  | 'deadline'
  | 'deferred'
  | 'delegation'
  | 'signature'
  | 'cancel'
  | 'validation';

export type Refusal = Readonly<{
  kind: RefusalKind;
  /** Session as named by the venue; for `session` refusals. */
  session?: string;
}>;

const FIELD =
  'stockAddress|side|type|quantity|notional|price|timeInForce|deadline|gasLimit|deferred|orderId|txHash|' +
  'userAddress|tokenAddress|tokenAmount|creditAmount';

/**
 * The documented refusals by text, because a code alone proves nothing. The documentation gives the meaning of each text, not its
 * exact words, so a rule only requires the words that must occur.
 */
const RULES: readonly Readonly<{ kind: RefusalKind; text: RegExp }>[] = [
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

/** Words about the chain in a text: something was submitted, whatever else it says. */
const ON_CHAIN = /revert|on.?chain|transaction|\btx\b|nonce|submitted|broadcast|receipt|\bgas\b/i;
/** Words about failures behind the venue, which do not show how far the request got. */
const BROKEN =
  /internal|time(d )?.?out|upstream|gateway|relayer|\bserver|\bnode\b|\brpc\b|response|failed to|unexpected/i;

const SESSION = /pre.?market|after.?hours|post.?market|overnight|closed/i;

/** The refusal documented by a text; null if the text, or that kind of refusal, proves nothing. */
export function refusalOf(text: string, believed: ReadonlySet<RefusalKind>): Refusal | null {
  if (ON_CHAIN.test(text) || BROKEN.test(text)) return null;
  const rule = RULES.find((candidate) => candidate.text.test(text));
  if (!rule || !believed.has(rule.kind)) return null;
  const session = rule.kind === 'session' ? SESSION.exec(text)?.[0] : undefined;
  return { kind: rule.kind, ...(session === undefined ? {} : { session }) };
}

export type Redact = (text: string) => string;

/** All authentication failures have the same response (spec, "Authentication", 8). */
const UNDISCLOSED =
  'The venue does not say why. It may be the key, the secret, the scope, the address or the clock';
const ASK_DOCTOR = ': run `drover doctor`';

/** A venue error's message without the advice to run the doctor, for the doctor itself. */
export const withoutDoctor = (text: string): string => text.replaceAll(ASK_DOCTOR, '');

/** Matches even a partial signature, by its name and the quotes around it. */
const NAMED_SIGNATURE = /(x-api-sign[\\"': =]{1,8})[0-9a-f]{8,}/gi;
const HASH = /[0-9a-f]{64}/gi;

/** Masks our signatures where the venue repeats them, in any form: with time and nonce, one is a complete request. */
export const withoutSignature = (text: string, isSignature: (hash: string) => boolean): string =>
  text
    .replace(HASH, (hash) => (isSignature(hash.toLowerCase()) ? MASK : hash))
    .replace(NAMED_SIGNATURE, `$1${MASK}`);

const EXCERPT_MAX = 300;
/** Maximum length of the venue's text in an error. */
const WORDS_MAX = 500;
const UUID_MAX = 60;
/** Maximum length before masking: texts are masked before being cut, so that no part of a secret remains. */
const MASKED_MAX = 4_096;

/** An error text of the venue for our messages: masked, on one line, and shortened. */
export const wordsOf = (errMsg: string | null | undefined, redact: Redact): string =>
  oneLine(redact(errMsg ?? ''), WORDS_MAX);

/** The start of a response, for people. */
export const excerptOf = ({ body }: Answer, redact: Redact): string =>
  redact(body.slice(0, MASKED_MAX)).slice(0, EXCERPT_MAX);

/** Maximum length of a foreign response's text in a message. */
const FIRST_WORDS_MAX = 80;
const SCRIPTS = /<(script|style)\b[^>]*>[^<]*/gi;
const TAGS = /<[^>]*>?/g;
const TITLE = /<title\b[^>]*>[^<]*<\/title>/i;

/** First words of a response that is not the venue's own, such as a proxy's page: masked, without tags, on one line. */
function firstWordsOf({ body }: Answer, redact: Redact): string {
  const text = redact(body.slice(0, MASKED_MAX)).replace(SCRIPTS, ' ');
  const shown = wordsIn(text.replace(TITLE, ' '));
  // The title of a page usually repeats its heading.
  const words = shown.startsWith(wordsIn(TITLE.exec(text)?.[0] ?? '')) ? shown : wordsIn(text);
  return words === '' ? 'without a text' : `"${oneLine(words, FIRST_WORDS_MAX)}"`;
}

const wordsIn = (page: string): string => page.replace(TAGS, ' ').replaceAll(/\s+/g, ' ').trim();

/** Rules for interpreting the text of a response. `refusals`: kinds accepted as proof that nothing was sent. */
type FailureRules = Readonly<{ redact: Redact; refusals: ReadonlySet<RefusalKind> }>;

/**
 * Maps an unsuccessful response to its error. For a request that must not be repeated the outcome is unknown, unless the venue's
 * documentation proves that it had no effect.
 */
export function failureOf(answer: Answer, route: Route, { redact, refusals }: FailureRules): DroverError {
  const { repeat } = route;
  const label = labelOf(route);
  const { status, envelope, kind } = answer;
  const { code, uuid, errMsg } = envelope ?? {};
  const words = wordsOf(errMsg, redact);
  const id = oneLine(uuid ?? '-', UUID_MAX);
  const details = { status, code, uuid: uuid && id, errMsg: words, excerpt: excerptOf(answer, redact) };
  const text = `${label}: ${words || `HTTP ${status}`}${code === undefined ? '' : ` (code ${code}, uuid ${id})`}`;
  if (kind === 'unauthorized')
    return new UnauthorizedError(
      `${text}. ${UNDISCLOSED}${ASK_DOCTOR}`,
      details,
      repeat === 'never' ? 'unknown' : 'none',
    );
  const refusal = kind === 'declined' ? refusalOf(errMsg ?? '', refusals) : null;
  if (refusal) return new VenueRefusedError(text, { ...details, refusal });
  if (kind === 'declined' && repeat === 'always') return new VenueRefusedError(text, details);
  if (kind === 'limited' && repeat === 'never')
    return new RateLimitedError(`${label}: too many requests`, details);
  const why = envelope ? text : `${label}: HTTP ${status}: ${firstWordsOf(answer, redact)}`;
  return noAnswer(why, repeat, { details });
}

/** Error for no usable answer: `NoAnswerError` for a read, `OutcomeUnknownError` for a request that may not be repeated. */
export function noAnswer(
  why: string,
  repeat: Repeat,
  { details = {}, cause }: { details?: Record<string, unknown>; cause?: unknown } = {},
): DroverError {
  const options = cause === undefined ? {} : { cause };
  return repeat === 'always'
    ? new NoAnswerError(why, details, options)
    : new OutcomeUnknownError(why, details, options);
}
