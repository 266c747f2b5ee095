import type { Envelope } from './envelope.ts';

/** The two fields of an envelope that differ in every response, if they come last. */
const OWN = /^,"uuid":"([0-9a-f-]{36})","t":(\d{1,15})\}$/i;
/** Maximum number of URIs whose last response is cached: the pages of a list and a few more. */
const KEPT = 8;

type CachedResponse = Readonly<{ text: string; envelope: Envelope }>;

/**
 * Parses responses to polled requests. One that differs from the last only in those two fields is not parsed again: its
 * `data` is the same object.
 */
export class Reread {
  readonly #known = new Map<string, CachedResponse>();

  read(uri: string, body: string, parse: (body: string) => Envelope | null): Envelope | null {
    const cut = Math.max(body.lastIndexOf(',"uuid":'), 0);
    const [, uuid, t] = OWN.exec(body.slice(cut)) ?? [];
    const known = this.#known.get(uri);
    if (uuid !== undefined && known?.text === body.slice(0, cut))
      return { ...known.envelope, uuid, t: Number(t) };
    const envelope = parse(body);
    if (uuid !== undefined && envelope) this.#keep(uri, { text: body.slice(0, cut), envelope });
    return envelope;
  }

  #keep(uri: string, known: CachedResponse): void {
    this.#known.delete(uri);
    this.#known.set(uri, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** Freezes a shared value with all its parts. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

/** A cached `read`: the same object gives the same result. */
export function memoise<From extends object, To>(read: (from: From) => To): (from: From) => To {
  const known = new WeakMap<From, { readonly to: To }>();
  return (from) => {
    const done = known.get(from) ?? { to: read(from) };
    known.set(from, done);
    return done.to;
  };
}
