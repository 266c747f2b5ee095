import type { EpochMs } from '../../core/brand.ts';
import { hashHex } from '../../core/random.ts';
import { CODES, type Code, type VenueReply } from './constants.ts';

/** Request to the venue. Header names in lower case. */
export type VenueRequest = Readonly<{
  method: string;
  /** Path and query as in the request line. */
  uri: string;
  headers: Readonly<Record<string, string | undefined>>;
  /** The raw body; empty if there is none. */
  body: string;
  /** Address of the caller. */
  ip: string;
}>;

/** Splits a text at the first separator; the second part is empty without one. */
export function splitAt(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const;

type Envelope = Readonly<{ code: number; errMsg: string; data: string; uuid: string | null; t: EpochMs }>;

/** Response with an envelope. `data` is already JSON. `t` is the venue's time in ms. */
const replyWith = (status: number, { code, errMsg, data, uuid, t }: Envelope): VenueReply => ({
  status,
  headers: JSON_HEADERS,
  body: `{"code":${code},"errMsg":${JSON.stringify(errMsg)},"data":${data},"uuid":${JSON.stringify(uuid)},"t":${t}}`,
});

/** A version 4 UUID derived from a text. */
export function uuidOf(text: string): string {
  const hex = hashHex(text).slice(2);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}

export const success = (data: string, uuid: string, t: EpochMs): VenueReply =>
  replyWith(200, { code: CODES.success, errMsg: '', data, uuid, t });

/** Response that refuses a request; omit `uuid` if it belongs to none. */
export const refused = (
  { code, message }: Readonly<{ code: number; message: string }>,
  uuid: string | null,
  t: EpochMs,
): VenueReply => replyWith(400, { code, errMsg: message, data: 'null', uuid, t });

/** Response to every failed authentication: it reveals neither the failed check nor the key. */
export const unauthorized = (t: EpochMs): VenueReply =>
  refused({ code: CODES.unauthorized, message: 'unauthorized' }, null, t);

/** Response to input that is not a request to the venue: not HTTP, too large a body, or a forbidden caller. */
export const protocolError = (status: number, errMsg: string, t: EpochMs): VenueReply => {
  const code = status >= 500 ? CODES.failed : CODES.validation;
  return replyWith(status, { code, errMsg, data: 'null', uuid: null, t });
};

/** Response of a gateway between the venue and its callers, without an envelope. */
export const gatewayReply = (status: number, headers: Readonly<Record<string, string>> = {}): VenueReply => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: `<html><head><title>${status}</title></head><body><h1>${status}</h1><hr>gateway</body></html>\n`,
});

/** A refusal by the venue: HTTP 400, with this code and text in the envelope. */
export class Refusal extends Error {
  readonly code: Code;

  constructor(code: Code, message: string) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
  }
}

export const invalid = (what: string): Refusal => new Refusal(CODES.validation, what);
export const notFound = (what: string): Refusal => new Refusal(CODES.notFound, what);
export const against = (rule: string): Refusal => new Refusal(CODES.rule, rule);
export const failedOnChain = (why: string): Refusal => new Refusal(CODES.chain, why);
export const undelegated = (why: string): Refusal => new Refusal(CODES.chain, why);
