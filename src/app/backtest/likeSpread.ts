import type { TradingCalendar } from '../../calendar/index.ts';
import { toNumber } from '../../core/amount.ts';
import { counted } from '../../core/counted.ts';
import { QUOTE_PHASES, type QuotePhase } from '../../domain/instrument.ts';
import { LiveHistory, type LiveJournal } from '../../report/live/liveHistory.ts';

/** Longest time in ms from a decision to the entry of its fill: later fills also reflect moves of the market. */
const TAKING_MS = 60_000;
/** Minimum number of fills for an estimate: the price moves between the quote and each fill. */
const FILLS_MIN = 10;
const BPS = 10_000;

/** Fills at the market's price. `lost`: how much worse they were than the preceding quotes, in mUSD. */
type Crossing = { fills: number; lost: number; value: number };

/**
 * Costs of a run compared with the quotes before its fills, by phase, and the flags that give a backtest the same costs. Limit orders
 * are left out, because they wait for their price. Null with too few fills.
 */
export function spreadsText(reader: LiveJournal, calendar: TradingCalendar): string | null {
  const taken = takenBy(new LiveHistory(reader), calendar);
  const phases = QUOTE_PHASES.flatMap((phase) => {
    const own = taken.get(phase);
    if (!own) return [];
    const bps = bpsOf(own);
    return [
      `${Math.abs(bps)} bps ${bps < 0 ? 'better' : 'worse'} in ${phase} (${counted(own.fills, 'fill')})`,
    ];
  });
  const outside = sumOf([...taken].flatMap(([phase, own]) => (phase === 'regular' ? [] : [own])));
  const flags = [...flagOf('--slippage', taken.get('regular')), ...flagOf('--slippage-outside', outside)];
  if (flags.length === 0) return null;
  return `fills of the run against the quotes before them: ${phases.join(', ')}; ${flags.join(' ')} applies these costs`;
}

function takenBy({ changes, decisions }: LiveHistory, calendar: TradingCalendar): Map<QuotePhase, Crossing> {
  const taken = new Map<QuotePhase, Crossing>();
  for (const change of changes) {
    if (change.kind !== 'traded' || change.deferred) continue;
    const { intent, price: quoted } = decisions.get(change.intentId) ?? {};
    const { phase } = calendar.phaseAt(change.at);
    if (!intent || !quoted || intent.terms.kind === 'limit' || phase === 'closed') continue;
    if (change.at - intent.at > TAKING_MS || calendar.phaseAt(intent.at).phase !== phase) continue;
    const [quote, shares] = [toNumber(quoted), toNumber(change.quantity)];
    const above = toNumber(change.price) - quote;
    const own = { fills: 1, lost: (change.side === 'buy' ? above : -above) * shares, value: quote * shares };
    taken.set(phase, sumOf([taken.get(phase) ?? NONE, own]));
  }
  return taken;
}

const NONE: Crossing = { fills: 0, lost: 0, value: 0 };

const sumOf = (parts: readonly Crossing[]): Crossing =>
  parts.reduce(
    (sum, { fills, lost, value }) => ({
      fills: sum.fills + fills,
      lost: sum.lost + lost,
      value: sum.value + value,
    }),
    NONE,
  );

const bpsOf = ({ lost, value }: Crossing): number => Math.round((lost * BPS * 10) / value) / 10;

const flagOf = (name: string, taken = NONE): string[] =>
  taken.fills < FILLS_MIN ? [] : [`${name} bps:${Math.max(bpsOf(taken), 0)}`];
