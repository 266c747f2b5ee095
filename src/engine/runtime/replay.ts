import { isDeepStrictEqual } from 'node:util';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import type { JournalEntry, JournalEvent } from '../../domain/journalEvent.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { ReplaySteps } from '../kernel/replaySteps.ts';

/** First entry at which a journal and the code of today diverge. */
export type Divergence = Readonly<{
  /** Place in the journal, from 0. */
  index: number;
  at: EpochMs;
  /** What the journal has there, and what was decided now; null where one of them has nothing more. */
  journal: JournalEvent | null;
  now: JournalEvent | null;
}>;

export type Replayed = Readonly<{
  /** Intents of strategies, and the orders made of them, that came out the same. */
  wishes: number;
  orders: number;
  parting: Divergence | null;
}>;

/**
 * Replays a journal: strategies and kernel decide again on its market, venue and operator entries, and each decision is compared.
 * What deferred an order at the time (a limit, a freeze, an old price, stale orders or account) is taken from the journal; the
 * intents of strategies, and what became of them, are not.
 *
 * `createKernel` makes the kernel of one process: strategies, rules and calendar as they are now.
 */
export function replay(entries: readonly JournalEntry[], createKernel: () => Kernel): Replayed {
  const counts = { wishes: 0, orders: 0 };
  let commitLoop: ReplaySteps | null = null;
  for (let index = 0; index < entries.length;) {
    if (entries[index]?.fact.kind === 'epoch') commitLoop = begun(createKernel(), entries.slice(0, index));
    if (!commitLoop) throw new InvariantError('a journal begins with an epoch');
    const decided = commitLoop.take(entries, index);
    for (const { fact } of decided) {
      const then = entries[index];
      if (!then || !isSame(then.fact, fact)) return { ...counts, parting: partingAt(entries, index, fact) };
      if (fact.kind === 'wished') counts.wishes++;
      if (fact.kind === 'planned') counts.orders++;
      index++;
    }
    if (decided.length === 0) return { ...counts, parting: partingAt(entries, index, null) };
  }
  return { ...counts, parting: null };
}

function begun(kernel: Kernel, before: readonly JournalEntry[]): ReplaySteps {
  kernel.recover(before);
  return kernel.replaySteps();
}

function partingAt(entries: readonly JournalEntry[], index: number, now: JournalEvent | null): Divergence {
  const then = entries[index];
  const at = then?.at ?? entries.at(-1)?.at ?? epochMs(0);
  return { index, at, journal: then?.fact ?? null, now };
}

/** Most facts are the same to the last field; else their texts decide. */
const isSame = (then: JournalEvent, now: JournalEvent): boolean =>
  isDeepStrictEqual(then, now) || textOf(then) === textOf(now);

/** Equal texts are equal facts: fields without a value do not count. */
const textOf = (fact: JournalEvent): string =>
  JSON.stringify(fact, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
