import { counted } from '../../core/counted.ts';
import type { JournalEntry } from '../../domain/journalEvent.ts';
import type { FetchedView } from '../../strategy/shown.ts';
import type { EngineContext } from './engineContext.ts';
import type { FetchedEvent } from './kernelEvent.ts';

const keyOf = (strategyId: string, name: string): string => `${strategyId} ${name}`;

/** Latest texts of the addresses that strategies fetch, according to the journal. */
export class FetchedTexts {
  private readonly latest = new Map<string, FetchedView>();
  /** Failed tries since the latest text, by address. */
  readonly failures = new Map<string, number>();

  of(strategyId: string, name: string): FetchedView | null {
    return this.latest.get(keyOf(strategyId, name)) ?? null;
  }

  note({ at, fact }: JournalEntry): void {
    if (fact.kind !== 'fetched') return;
    const text = fact.text ?? this.of(fact.strategyId, fact.name)?.text;
    if (text !== undefined) this.latest.set(keyOf(fact.strategyId, fact.name), Object.freeze({ at, text }));
  }
}

/** Applies a fetched text. A failed try keeps the previous text, is counted, and raises an alarm the first time. */
export function takeFetched(context: EngineContext, { strategyId, name, answer }: FetchedEvent): void {
  const about = `fetch ${keyOf(strategyId, name)}`;
  const { failures } = context.fetched;
  const isProblem = 'problem' in answer;
  const failed = (failures.get(about) ?? 0) + (isProblem ? 1 : 0);
  const tries = `${counted(failed, 'try', 'tries')} to fetch ${name} failed`;
  if (isProblem) {
    failures.set(about, failed);
    const text = `${tries}: ${answer.problem}. The previous text stays, with its time`;
    if (context.problems.stand(about, { since: context.now, text: `${strategyId}: ${text}` }))
      context.alarm(about, text, { code: 'FETCH_FAILS', strategyId });
    return;
  }
  if (context.problems.end(about) !== undefined)
    context.allClear(about, `${tries}, and it can be fetched again`, strategyId);
  failures.delete(about);
  const isSame = answer.text === context.fetched.of(strategyId, name)?.text;
  context.record({ kind: 'fetched', strategyId, name, ...(isSame ? {} : { text: answer.text }) });
}
