import { isDeepStrictEqual } from 'node:util';
import { type EpochMs, epochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import type { JournalEntry, JournalEvent } from '../../domain/journalEvent.ts';
import type { Settings } from '../../domain/operator/settings.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { ReplaySteps } from './replaySteps.ts';

/** First entry at which a journal and the current code diverge. */
export type Divergence = Readonly<{
  /** Index in the journal, from 0. */
  index: number;
  at: EpochMs;
  /** Event in the journal, and event decided now; null if one side has no more. */
  journal: JournalEvent | null;
  now: JournalEvent | null;
}>;

export type ReplayResult = Readonly<{
  /** Numbers of matching intents of strategies, and of orders made from them. */
  wishes: number;
  orders: number;
  parting: Divergence | null;
}>;

/**
 * Replays a journal: strategies and kernel decide again on its market, venue and operator entries, and each decision is compared.
 * Reasons that deferred an order at the time (a limit, a freeze, an old price, stale orders or account) are taken from the journal;
 * the intents of strategies and their outcomes are not. Logs and plots of strategies are not decisions and are left out.
 *
 * `createKernel` creates the kernel of one process with the strategies that ran in it, by id and in order. It uses the current
 * rules and calendar.
 */
export function replay(
  journal: readonly JournalEntry[],
  createKernel: (strategies: readonly string[]) => Kernel,
): ReplayResult {
  const entries = journal.filter(({ fact }) => !NO_DECISIONS.has(fact.kind));
  const { parting, ...counts } = replayDecisions(entries, createKernel);
  return { ...counts, parting: parting && { ...parting, index: indexIn(journal, entries[parting.index]) } };
}

const NO_DECISIONS: ReadonlySet<JournalEvent['kind']> = new Set(['logged', 'plotted', 'checkpoint']);

const indexIn = (journal: readonly JournalEntry[], entry: JournalEntry | undefined): number =>
  entry ? journal.indexOf(entry) : journal.length;

function replayDecisions(
  entries: readonly JournalEntry[],
  createKernel: (strategies: readonly string[]) => Kernel,
): ReplayResult {
  const counts = { wishes: 0, orders: 0 };
  let commitLoop: ReplaySteps | null = null;
  for (let index = 0; index < entries.length;) {
    if (entries[index]?.fact.kind === 'epoch')
      commitLoop = begun(createKernel(strategiesOf(entries, index)), entries, index);
    if (!commitLoop) throw new InvariantError('a journal begins with an epoch');
    const decided = commitLoop.take(entries, index);
    for (const { fact } of decided) {
      const then = entries[index];
      if (!then || !isSame(then.fact, fact)) return { ...counts, parting: partingAt(entries, index, fact) };
      if (fact.kind === 'intentCreated') counts.wishes++;
      if (fact.kind === 'planned') counts.orders++;
      index++;
    }
    if (decided.length === 0) return { ...counts, parting: partingAt(entries, index, null) };
  }
  return { ...counts, parting: null };
}

/** Ids of a process's strategies, in order. Journals up to 0.8.0 do not list them: there, those that were given capital. */
function strategiesOf(entries: readonly JournalEntry[], epoch: number): readonly string[] {
  const given = new Set<string>();
  for (const [index, { fact }] of entries.entries()) {
    if (index > epoch && fact.kind === 'epoch') break;
    if (fact.kind === 'allocated') given.add(fact.strategyId);
    if (index > epoch && fact.kind === 'started') return fact.strategies ?? [...given];
  }
  return [...given];
}

/** True for a process of 0.8.0 or earlier, whose start does not list its strategies. */
function isOfOldRun(entries: readonly JournalEntry[], epoch: number): boolean {
  const next = entries.slice(epoch + 1).find(({ fact }) => fact.kind === 'epoch' || fact.kind === 'started');
  return next?.fact.kind === 'started' && next.fact.strategies === undefined;
}

function begun(kernel: Kernel, entries: readonly JournalEntry[], index: number): ReplaySteps {
  kernel.recover(entries.slice(0, index));
  if (isOfOldRun(entries, index)) kernel.context.precedents.restOf = () => 'keep';
  const before = settingsAt(entries, index);
  if (before) kernel.context.applySettings(before);
  return new ReplaySteps(kernel);
}

/** Settings with which a process began, if it reloaded its config later: it holds the newer ones now. */
function settingsAt(entries: readonly JournalEntry[], epoch: number): Settings | undefined {
  for (let index = epoch + 1; index < entries.length; index++) {
    const fact = entries[index]?.fact;
    if (fact?.kind === 'epoch') return undefined;
    if (fact?.kind === 'operator' && fact.command.kind === 'reload' && fact.command.before)
      return fact.command.before;
  }
  return undefined;
}

function partingAt(entries: readonly JournalEntry[], index: number, now: JournalEvent | null): Divergence {
  const then = entries[index];
  const at = then?.at ?? entries.at(-1)?.at ?? epochMs(0);
  return { index, at, journal: then?.fact ?? null, now };
}

/** True for equal events: compared field by field first, and otherwise by their texts. */
const isSame = (then: JournalEvent, now: JournalEvent): boolean =>
  isDeepStrictEqual(then, now) || textOf(then) === textOf(asBefore(now, then));

/**
 * Current decision without the parts that the journal of an earlier version did not keep or worded differently: the
 * code of a reason, the strategies of a start, the text of the error that stopped a strategy.
 */
function asBefore(now: JournalEvent, then: JournalEvent): JournalEvent {
  if (now.kind === 'started' && then.kind === 'started' && !then.strategies) return then;
  if (now.kind === 'strategyStopped' && then.kind === 'strategyStopped') return { ...now, error: then.error };
  const isCoded = (now.kind === 'intentEnded' || now.kind === 'intentDeferred') && now.code !== undefined;
  return isCoded && now.kind === then.kind && !('code' in then) ? { ...now, code: undefined } : now;
}

/** Text of an event, without undefined fields: equal texts mean equal events. */
const textOf = (fact: JournalEvent): string =>
  JSON.stringify(fact, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
