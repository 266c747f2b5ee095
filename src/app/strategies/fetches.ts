import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Cancel, Clock } from '../../core/clock.ts';
import { ConfigError } from '../../core/errors.ts';
import type { FetchedEvent } from '../../engine/state/kernelEvent.ts';
import { reasonOf } from '../../ops/notify/delivery.ts';
import { openHttp } from '../../ops/notify/http.ts';
import type { DataNeeds } from '../../strategy/contract.ts';
import { isPublic, type FetchSource } from '../config/fetch.ts';
import { isLoopback } from '../config/fields.ts';

/** Maximum time in ms for a complete response. */
const ANSWER_MS = 10_000;

type Sources = Readonly<Record<string, FetchSource>>;

/** @throws {ConfigError} unless `data` requests exactly the URLs that the config provides */
export function requireSources(id: string, { fetch: names = [] }: DataNeeds, given: Sources = {}): void {
  const [asked, has] = [names, Object.keys(given)].map((list) => [...list].sort().join(', ') || 'nothing');
  if (asked !== has)
    throw new ConfigError(
      `${id} asks to fetch ${asked}, and its config gives ${has}. Write beside its params, for each that it asks for and no other, ` +
        'fetch: { NAME: { url: https://HOST/PATH } }',
      { strategy: id },
    );
}

/** A URL that a run's strategy fetches. */
export type FetchedSource = FetchSource & Readonly<{ strategyId: string; name: string }>;

/** URLs of all strategies. */
export const sourcesOf = (
  strategies: readonly { id: string; fetch?: Sources | undefined }[],
): FetchedSource[] =>
  strategies.flatMap(({ id, fetch = {} }) =>
    Object.entries(fetch).map(([name, source]) => ({ ...source, strategyId: id, name })),
  );

/** Fetches URLs one at a time, first all, then each at its interval. Returns the function that stops it. */
export function fetchInTurn(
  sources: readonly FetchedSource[],
  clock: Pick<Clock, 'monotonic' | 'after' | 'sleep'>,
  onAnswer: (event: FetchedEvent) => void,
): Cancel {
  const ended = new AbortController();
  const { signal } = ended;
  const due = new Map(sources.map((source) => [source, clock.monotonic()]));
  const turns = async () => {
    for (;;) {
      const [next] = [...due].sort(([, one], [, other]) => one - other);
      if (!next) return;
      const [source, when] = next;
      await clock.sleep(when - clock.monotonic(), signal);
      due.set(source, clock.monotonic() + source.everySeconds * 1_000);
      const answer = await answerOf(source, clock, signal);
      signal.throwIfAborted();
      onAnswer({ kind: 'fetched', strategyId: source.strategyId, name: source.name, answer });
    }
  };
  turns().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return () => ended.abort();
}

/** Makes one request: without any header or cookie of ours, following no redirect, and never to a private network. */
async function answerOf(
  { url, maxKb }: FetchSource,
  clock: Pick<Clock, 'after'>,
  stop: AbortSignal,
): Promise<FetchedEvent['answer']> {
  const { http, close } = openHttp(isLoopback(url) ? {} : { lookup: lookupPublic });
  const late = new AbortController();
  const cancel = clock.after(ANSWER_MS, () => late.abort());
  const maxBytes = maxKb * 1_024;
  try {
    const signal = AbortSignal.any([stop, late.signal]);
    const { status, body } = await http({ method: 'GET', url, maxBytes, signal });
    if (status >= 300 && status < 400)
      return { problem: `it answers with a redirect (HTTP ${status}), which is not followed` };
    if (status !== 200) return { problem: `it answers HTTP ${status}` };
    return Buffer.byteLength(body) > maxBytes
      ? { problem: `its answer is longer than ${maxKb} KB (maxKb)` }
      : { text: body };
  } catch (error) {
    return { problem: reasonOf(error) };
  } finally {
    cancel();
    await close();
  }
}

/** Public addresses of a host. The connection goes to no others. */
const lookupPublic: LookupFunction = (host, options, found) =>
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error) return found(error, []);
    const open = addresses.filter(({ address }) => isPublic(address));
    const [first] = open;
    if (!first) return found(Object.assign(new Error('no public address'), { code: 'EPRIVATE' }), []);
    if (options.all) return found(null, open);
    found(null, first.address, first.family);
  });
