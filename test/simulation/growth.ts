import { formatDecimal, magnitude, notionalOf, shares, WAD } from '../../src/core/amount.ts';
import { amountOf } from '../../src/domain/account/actionBook.ts';
import {
  actionId,
  actionOf,
  DIVIDEND_TOLERANCE_BPS,
  type Entitlement,
} from '../../src/domain/corporateAction.ts';
import type { JournalEntry, JournalEvent } from '../../src/domain/journalEvent.ts';
import type { AnnouncedAction } from '../../src/emulator/state/state.ts';
import type { Counters } from './sometimes.ts';

type Of<K extends JournalEvent['kind']> = Extract<JournalEvent, { kind: K }>;

export type GrowthParts = Readonly<{
  accuse: (detail: string) => void;
  sometimes: Counters;
  /** Actions that the venue has announced. */
  announced: () => readonly AnnouncedAction[];
}>;

const BPS = 10_000n;
/** Part by which shares that are booked may differ from those that came. */
const PART = 100n;
/** Wad of a millionth of a share, to which the venue may round. */
const STEP = WAD / 1_000_000n;

/** Reads the journal, and notes dividends in tokens that are booked twice, unannounced, or as more than is due and came. */
export class GrowthWatch {
  readonly #parts: GrowthParts;
  readonly #due = new Map<string, Entitlement>();
  readonly #paid = new Set<string>();
  /** Stocks whose shares an operator takes for a dividend, whatever came, by the commands that are being carried out. */
  readonly #accepting = new Map<string, string>();

  constructor(parts: GrowthParts) {
    this.#parts = parts;
  }

  read({ fact }: JournalEntry): void {
    switch (fact.kind) {
      case 'operator':
        if (fact.command.kind === 'accept') this.#accepting.set(fact.id, fact.command.asset);
        return;
      case 'operatorAnswered':
        this.#accepting.delete(fact.id);
        return;
      case 'entitled':
        return this.#entitled(fact);
      case 'paidInTokens':
        return this.#booked(fact);
      default:
        return;
    }
  }

  #entitled(due: Of<'entitled'>): void {
    const id = actionId(due.action);
    if (!this.#venueHas(id)) this.#parts.accuse(`${id} is due, and the venue has announced no such payment`);
    this.#due.set(id, due);
  }

  #booked({ id, parts, price }: Of<'paidInTokens'>): void {
    const { accuse, sometimes } = this.#parts;
    if (this.#paid.has(id)) accuse(`${id} is booked a second time`);
    this.#paid.add(id);
    const due = this.#due.get(id);
    if (!due) return accuse(`${id} is booked, and was not due`);
    if ([...this.#accepting.values()].includes(due.action.symbol)) return;
    const came = shares(parts.reduce((sum, [, amount]) => sum + amount, 0n));
    const [worth, whole] = [notionalOf(came, price, 'down'), amountOf(due)];
    const isWorth = magnitude(worth - whole) * BPS <= whole * BigInt(DIVIDEND_TOLERANCE_BPS);
    sometimes[isWorth ? 'grownByWorth' : 'grownByMultiplier']++;
    const grown = this.#grownBy(id, due);
    if (grown === null) return accuse(`${id} is booked, and the venue has paid nothing yet`);
    if (!isWorth && magnitude(came - grown) > grown / PART + STEP)
      accuse(`${formatDecimal(came)} are booked for ${id}, of which ${formatDecimal(grown)} came`);
  }

  #venueHas(id: string): AnnouncedAction | undefined {
    return this.#parts.announced().find((action) => idOf(action) === id);
  }

  /** Shares by which those that a payment is for have grown at the venue; null before it has paid. */
  #grownBy(id: string, due: Entitlement): bigint | null {
    const { growth = WAD, appliedAt = null } = this.#venueHas(id) ?? {};
    if (appliedAt === null) return null;
    return (((amountOf(due) * WAD) / due.action.perShare) * (growth - WAD)) / WAD;
  }
}

const idOf = ({ oldRate, newRate, cashPerShare, ...action }: AnnouncedAction): string =>
  actionId(
    actionOf(
      cashPerShare > 0n
        ? { ...action, cashPerShare: formatDecimal(cashPerShare) }
        : { ...action, oldRate: formatDecimal(oldRate), newRate: formatDecimal(newRate) },
    ),
  );
