import { DAY_MS, epochMs } from '../../core/brand.ts';
import { QUOTE_PHASES, type Quote, type QuotePhase, type Ticker } from '../../domain/instrument.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { StrategyInstance } from './strategyInstance.ts';

/** Quotes of one read: those of the current phase, and those of an earlier one. */
type QuoteNews = Readonly<{
  phase: QuotePhase | null;
  current: readonly Quote[];
  past: readonly Quote[];
}>;

/** Maximum age in ms of a quote of the current phase: longer than any phase. */
const PHASE_MAX_MS = DAY_MS;

/**
 * Sorts changed quotes by phase, and adds unchanged ones that a strategy has not received yet, such as the first price
 * of a session that equals the last one of the night.
 */
export function quoteNews(
  context: EngineContext,
  strategies: Iterable<StrategyInstance>,
  changed: readonly Quote[],
): QuoteNews {
  const phase = QUOTE_PHASES.find((name) => name === context.calendar.phaseAt(context.now).phase) ?? null;
  if (phase === null) return { phase, current: [], past: changed };
  const known = new Set(changed.map(({ symbol }) => symbol));
  const added = undeliveredQuotes(context, strategies, phase).filter(({ symbol }) => !known.has(symbol));
  const current = new Set([...changed, ...added].filter((quote) => isCurrent(context, quote)));
  return { phase, current: [...current], past: changed.filter((quote) => !current.has(quote)) };
}

/** Latest quotes that strategies should receive in this phase and have not, each once. */
function undeliveredQuotes(
  { market }: EngineContext,
  strategies: Iterable<StrategyInstance>,
  phase: QuotePhase,
): Quote[] {
  const quotes = new Set<Quote>();
  for (const strategy of strategies)
    for (const [symbol, phases] of strategy.quotePhases) {
      const quote = phases.has(phase) ? market.quote(symbol as Ticker) : undefined;
      if (quote && !market.isKept(quote.symbol) && market.isNews(strategy.id, quote)) quotes.add(quote);
    }
  return [...quotes];
}

/** True for a quote that the venue made in the current phase: at the open it may still list one from the night. */
function isCurrent({ calendar, now }: EngineContext, { at }: Quote): boolean {
  if (at >= now) return true;
  return (
    now - at < PHASE_MAX_MS && calendar.phaseAt(epochMs(at)).nextChange === calendar.phaseAt(now).nextChange
  );
}
