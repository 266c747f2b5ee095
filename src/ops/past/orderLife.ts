import { toIso } from '../../core/brand.ts';
import { describeIntent } from '../../domain/describe.ts';
import type { JournalEvent } from '../../domain/journalEvent.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { JournalReader } from '../../store/readJournal.ts';
import { recordOf } from '../../store/storedNames.ts';
import { orderRow, type OrderRow } from './orderRow.ts';
import { NothingFound } from './question.ts';
import type { Line } from '../../store/codec.ts';

const INTENT_KINDS = [
  'intentCreated',
  'intentDeferred',
  'intentEnded',
] as const satisfies readonly JournalEvent['kind'][];

/** Whole life of an order as the journal has it. `entries`: those of the order and of its intent, oldest first. */
export type OrderLife = OrderRow &
  Readonly<{
    /** Order of the bot that it belongs to; null for none. */
    parent: Readonly<{ id: string; leg: string }> | null;
    /** Decision that it carries out; null where the journal begins after it. */
    decision: Readonly<{ id: string; at: string; text: string; reason: string }> | null;
    entries: readonly object[];
  }>;

/** @throws {NothingFound} for an id that no order of the journal has */
export function orderLife(
  reader: Pick<JournalReader, 'history' | 'backwards' | 'ofKindsAfter'>,
  id: string,
): OrderLife {
  const own = reader.history(id);
  const [planned] = own;
  if (planned?.fact.kind !== 'planned') throw new NothingFound(`there is no order ${id} in this journal`);
  const { order } = planned.fact;
  const intents = intentLines(reader, order.intentId, planned.seq);
  const created = intents.find(({ fact }) => fact.kind === 'intentCreated')?.fact;
  const lines = [...own, ...intents].sort((a, b) => a.seq - b.seq);
  return {
    ...orderRow(own),
    parent: order.parent ?? null,
    decision: created?.kind === 'intentCreated' ? decisionOf(created.intent) : null,
    entries: lines.map(recordOf),
  };
}

const decisionOf = (intent: OrderIntent) => ({
  id: intent.id,
  at: toIso(intent.at),
  text: describeIntent({ ...intent, reason: '' }),
  reason: intent.reason,
});

/** Entries of an intent: back from its order to where it was created, and on to its end. */
function intentLines(
  reader: Pick<JournalReader, 'backwards' | 'ofKindsAfter'>,
  id: string,
  seq: number,
): Line[] {
  const found: Line[] = [];
  for (const line of reader.backwards(INTENT_KINDS, seq)) {
    if (isOf(line, id)) found.push(line);
    if (line.fact.kind === 'intentCreated' && line.fact.intent.id === id) break;
  }
  let after = seq;
  for (;;) {
    const page = reader.ofKindsAfter(after, INTENT_KINDS, PAGE);
    for (const line of page) {
      if (!isOf(line, id)) continue;
      found.push(line);
      if (line.fact.kind === 'intentEnded') return found;
    }
    if (page.length < PAGE) return found;
    after = page.at(-1)?.seq ?? Infinity;
  }
}

/** Entries that are read at once. */
const PAGE = 500;

const isOf = ({ fact }: Line, id: string): boolean =>
  fact.kind === 'intentCreated'
    ? fact.intent.id === id
    : (fact.kind === 'intentDeferred' || fact.kind === 'intentEnded') && fact.id === id;
