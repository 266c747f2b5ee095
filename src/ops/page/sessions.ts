import { orElse } from '../../core/errors.ts';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Cancel, Clock, Host } from '../../core/clock.ts';
import type { EndedSessions } from './sessionStore.ts';

/** Time in ms after which an unused session ends; use extends it. */
const IDLE_MS = 12 * 3_600_000;
/** Maximum duration of a session in ms, however much it is used. */
const LONGEST_MS = 7 * 86_400_000;
/** Age in ms from which a cookie is renewed by use. */
const RENEW_MS = 3_600_000;
/** Length of a session id, in bytes. */
const ID_BYTES = 16;

const claimsSchema = z.strictObject({
  /** The same in all cookies of the session. */
  id: z.string(),
  role: z.enum(['read', 'operate']),
  via: z.enum(['code', 'token']),
  /** Times of the sign-in and of this cookie's expiry. Epoch ms. */
  issued: z.number(),
  expires: z.number(),
  path: z.string(),
  isSecure: z.boolean(),
});
type Claims = z.output<typeof claimsSchema>;

/**
 * A signed-in browser. `expires`: end, unless use extends it. `atEnd`: runs a function then, or when the session is ended early;
 * returns a function that cancels this.
 */
export type Session = Readonly<Omit<Claims, 'issued' | 'expires'>> &
  Readonly<{ issued: EpochMs; expires: EpochMs; atEnd: (run: () => void) => Cancel }>;

/** Parameters of a new session. `path`: folder of the page in the browser; `isSecure`: true if the browser uses https. */
export type SignedIn = Readonly<Pick<Claims, 'role' | 'via' | 'path' | 'isSecure'>>;

type Parts = Readonly<{
  /** Key of 32 bytes, read when first needed. */
  key: () => Buffer;
  /** Token of a role: sessions started with it end when it is replaced. */
  tokenOf: (role: Role) => string | undefined;
  ended: EndedSessions;
  /** Unpredictable bytes. */
  bytes: (length: number) => Uint8Array;
  clock: Pick<Clock, 'now'>;
  host: Pick<Host, 'after'>;
}>;

/**
 * Page sessions: those with a cookie signed by this run, or an earlier one on the same state folder (HMAC-SHA-256), that were not
 * ended.
 */
export class Sessions {
  readonly #parts: Parts;
  /** Functions to call at the end of a session, by its id. */
  readonly #attached = new Map<string, Set<() => void>>();
  #key: Buffer | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Starts a session. Returns the value of `Set-Cookie`. */
  begin(signedIn: SignedIn): string {
    const { clock, ended } = this.#parts;
    const issued = ended.after(clock.now());
    const id = Buffer.from(this.#parts.bytes(ID_BYTES)).toString('base64url');
    return this.#cookie({ ...signedIn, id, issued, expires: clock.now() + IDLE_MS });
  }

  /** Session of a request, from its `Cookie` header; null without a valid, unexpired cookie of ours. */
  of(cookies: string | null): Session | null {
    for (const pair of cookies?.split(';') ?? []) {
      const [name = '', value = ''] = pair.trim().split('=');
      if (!name.endsWith(this.#name)) continue;
      const session = this.#read(value);
      if (session !== null) return session;
    }
    return null;
  }

  /** Value of `Set-Cookie` that extends a session; null while it is young, and once it has its maximum duration. */
  renewal(session: Session): string | null {
    const now = this.#parts.clock.now();
    const { atEnd: _, ...claims } = session;
    const expires = Math.min(now + IDLE_MS, session.issued + LONGEST_MS);
    return expires - session.expires < RENEW_MS ? null : this.#cookie({ ...claims, expires });
  }

  /** Value of `Set-Cookie` that deletes a session's cookie. */
  removal(session: Session): string {
    return `${this.#nameOf(session)}=; ${attributesOf(session)}; Max-Age=0`;
  }

  /** Ends a session: its cookies are no longer accepted. @throws if a restart would forget that */
  end({ id, issued }: Session): void {
    try {
      this.#parts.ended.add(id, epochMs(issued + LONGEST_MS));
    } finally {
      this.#detach(id);
    }
  }

  /** Ends all sessions, including other browsers'. @throws if a restart would forget that */
  endAll(): void {
    try {
      this.#parts.ended.addAll();
    } finally {
      for (const id of [...this.#attached.keys()]) this.#detach(id);
    }
  }

  #detach(id: string): void {
    for (const run of this.#attached.get(id) ?? []) run();
    this.#attached.delete(id);
  }

  #attach({ id, issued }: Pick<Session, 'id' | 'issued'>, leftMs: number, run: () => void): Cancel {
    if (this.#parts.ended.has(id, issued)) {
      run();
      return () => undefined;
    }
    const attached = this.#attached.get(id) ?? new Set();
    this.#attached.set(id, attached.add(run));
    const cancelTimer = this.#parts.host.after(leftMs, run);
    return () => {
      cancelTimer();
      attached.delete(run);
      if (attached.size === 0) this.#attached.delete(id);
    };
  }

  #cookie(claims: Claims): string {
    const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const mac = this.#mac(text, claims).toString('base64url');
    const seconds = Math.ceil((claims.expires - this.#parts.clock.now()) / 1_000);
    return `${this.#nameOf(claims)}=${text}.${mac}; ${attributesOf(claims)}; Max-Age=${seconds}`;
  }

  #read(value: string): Session | null {
    const [text = '', mac = '', ...rest] = value.split('.');
    const claims = claimsIn(text);
    if (claims === null || rest.length > 0) return null;
    const given = Buffer.from(mac, 'base64url');
    const own = this.#mac(text, claims);
    if (given.length !== own.length || !timingSafeEqual(given, own)) return null;
    const [issued, expires] = [epochMs(claims.issued), epochMs(claims.expires)];
    const leftMs = expires - this.#parts.clock.now();
    if (leftMs <= 0 || this.#parts.ended.has(claims.id, issued)) return null;
    return { ...claims, issued, expires, atEnd: (run) => this.#attach({ ...claims, issued }, leftMs, run) };
  }

  /** Signature of a cookie. For a session started with a token, that token signs too. */
  #mac(text: string, { role, via }: Pick<Claims, 'role' | 'via'>): Buffer {
    const token = via === 'token' ? (this.#parts.tokenOf(role) ?? '') : '';
    return createHmac('sha256', this.#secret)
      .update(`${via} ${digestOf(token)} ${text}`)
      .digest();
  }

  /** Name of the cookie, different for each key, because browsers send a cookie to every port of a host. */
  get #name(): string {
    return `drover-${createHmac('sha256', this.#secret).update('name').digest('hex').slice(0, 12)}`;
  }

  #nameOf({ path, isSecure }: Pick<Claims, 'path' | 'isSecure'>): string {
    if (!isSecure) return this.#name;
    return `${path === '/' ? '__Host-' : '__Secure-'}${this.#name}`;
  }

  get #secret(): Buffer {
    return (this.#key ??= this.#parts.key());
  }
}

const attributesOf = ({ path, isSecure }: Pick<Claims, 'path' | 'isSecure'>): string =>
  `Path=${path}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Claims in a cookie, not verified yet; null if there are none. */
const claimsIn = (text: string): Claims | null =>
  orElse(() => claimsSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))), null);

/** Roles of callers: `read` may view, `operate` may also give commands. */
export type Role = 'read' | 'operate';
