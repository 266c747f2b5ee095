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

/** Longest time in ms for a whole answer. */
const ANSWER_MS = 10_000;

type Sources = Readonly<Record<string, FetchSource>>;

/** @throws {ConfigError} unless `data` asks for the addresses that the config gives, and for no other */
export function requireSources(id: string, { fetch: names = [] }: DataNeeds, given: Sources = {}): void {
  const [asked, has] = [names, Object.keys(given)].map((list) => [...list].sort().join(', ') || 'nothing');
  if (asked !== has)
    throw new ConfigError(
      `${id} asks to fetch ${asked}, and its config gives ${has}. Write beside its params, for each that it asks for and no other, ` +
        'fetch: { NAME: { url: https://HOST/PATH } }',
      { strategy: id },
    );
}

/** Address of a strategy of a run. */
export type FetchedSource = FetchSource & Readonly<{ strategyId: string; name: string }>;

/** The addresses of all strategies. */
export const sourcesOf = (
  strategies: readonly { id: string; fetch?: Sources | undefined }[],
): FetchedSource[] =>
  strategies.flatMap(({ id, fetch = {} }) =>
    Object.entries(fetch).map(([name, source]) => ({ ...source, strategyId: id, name })),
  );

/** Gets the texts of addresses, at first and then each after its time, one at a time. Returns the function that ends it. */
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

/** Asks once: no header or cookie of ours goes along, no redirect is followed, and nobody in a private network is asked. */
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

/** Addresses of a host, those in private networks left out. The connection goes to no other. */
const lookupPublic: LookupFunction = (host, options, found) =>
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error) return found(error, []);
    const open = addresses.filter(({ address }) => isPublic(address));
    const [first] = open;
    if (!first) return found(Object.assign(new Error('no public address'), { code: 'EPRIVATE' }), []);
    if (options.all) return found(null, open);
    found(null, first.address, first.family);
  });
