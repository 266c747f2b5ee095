import type { Session, Role } from '../page/sessions.ts';

/** Codes of refused requests with their HTTP status. */
export const STATUS_BY_CODE = {
  USAGE: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD: 405,
  TIMEOUT: 408,
  SAFETY: 409,
  TOO_LARGE: 413,
  RATE: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  UNREACHABLE: 502,
  UNKNOWN: 503,
  STARTING: 503,
} as const;

export type RefusalCode = keyof typeof STATUS_BY_CODE;

/** Refusal of a request to the control API. Nothing was done, unless the code is `UNKNOWN`. */
export class RefusedRequest extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }

  get statusCode(): number {
    return STATUS_BY_CODE[this.code];
  }
}

/** Body of every error response. */
export const refusalBody = (code: RefusalCode, message: string) => ({ error: { code, message } });

/** Kinds of listeners. */
export type DoorKind = 'socket' | 'tcp';

/** Ways in: the user's socket, a token, or a page (by cookie or through a gateway); nobody at an open endpoint. */
export type Way = 'socket' | 'token' | 'page' | 'nobody';

/**
 * A caller that passed a listener's checks. `by`: the name kept in the journal. `money`: orders and transfers are allowed.
 * `session`: that of a page with a cookie.
 */
export type Caller = Readonly<{
  role: Role;
  by: string;
  money: boolean;
  door: DoorKind;
  way: Way;
  session?: Session;
}>;
