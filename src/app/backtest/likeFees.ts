import { bpsBySide, DOCUMENTED_FEES, scheduleOf, type FeeSchedule } from '../../domain/fees.ts';
import { FEES } from '../../domain/account/pins.ts';
import type { JournalReader } from '../../store/readJournal.ts';

/**
 * Fee rule of a run by its journal, in the words of `--fees`: the rates that the venue stated last and, where a settlement took more,
 * what it took. Null where the journal says nothing of them, or the documented ones.
 */
export function feesIn(reader: Pick<JournalReader, 'ofKinds'>): string | null {
  let schedule: FeeSchedule = DOCUMENTED_FEES;
  for (const { fact } of reader.ofKinds(['pinned', 'departed', 'feeTaken'])) {
    if (fact.kind === 'pinned')
      for (const { subject, terms } of fact.pins) if (subject === FEES) schedule = scheduleOf(terms);
    if (fact.kind === 'departed' && fact.subject === FEES && fact.terms) schedule = scheduleOf(fact.terms);
    if (fact.kind === 'feeTaken') schedule = raised(schedule, fact);
  }
  const { buyMintFeeBps: mint, buyProtocolFeeBps: buy, sellProtocolFeeBps: sell } = schedule;
  const rates = `${mint}/${buy}/${sell}`;
  const { buyMintFeeBps, buyProtocolFeeBps, sellProtocolFeeBps } = DOCUMENTED_FEES;
  return rates === `${buyMintFeeBps}/${buyProtocolFeeBps}/${sellProtocolFeeBps}` ? null : `rates:${rates}`;
}

/** Rates with the protocol's part of one side so high that all fees are what a settlement took, in whole bps. */
function raised(
  schedule: FeeSchedule,
  { side, bps }: Readonly<{ side: 'buy' | 'sell'; bps: number }>,
): FeeSchedule {
  const more = Math.max(Math.ceil(bps) - bpsBySide(schedule)[side], 0);
  return side === 'buy'
    ? { ...schedule, buyProtocolFeeBps: schedule.buyProtocolFeeBps + more }
    : { ...schedule, sellProtocolFeeBps: schedule.sellProtocolFeeBps + more };
}
