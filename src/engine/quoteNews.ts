import { epochMs } from '../core/brand.ts';
import { QUOTE_PHASES, type Quote, type QuotePhase, type Ticker } from '../domain/instrument.ts';
import type { Desk } from './desk.ts';
import type { Host } from './host.ts';

/** Quotes of one look at the venue: those of the phase that is on, and those of an earlier one. */
export type QuoteNews = Readonly<{
  phase: QuotePhase | null;
  current: readonly Quote[];
  past: readonly Quote[];
}>;

/** Longest time in ms that a quote may be old and still be one of the phase that is on: longer than any phase is. */
const PHASE_MAX_MS = 86_400_000;

/**
 * Sorts the quotes that have changed by their phase, and adds those that have not, but that a strategy has not been told:
 * as when the first price of a session is that of the night before it.
 */
export function quoteNews(desk: Desk, hosts: Iterable<Host>, changed: readonly Quote[]): QuoteNews {
  const phase = QUOTE_PHASES.find((name) => name === desk.calendar.phaseAt(desk.now).phase) ?? null;
  if (phase === null) return { phase, current: [], past: changed };
  const known = new Set(changed.map(({ symbol }) => symbol));
  const added = untold(desk, hosts, phase).filter(({ symbol }) => !known.has(symbol));
  const current = new Set([...changed, ...added].filter((quote) => isCurrent(desk, quote)));
  return { phase, current: [...current], past: changed.filter((quote) => !current.has(quote)) };
}

/** Latest quotes that strategies hear in this phase and have not been told, each once. */
function untold({ market }: Desk, hosts: Iterable<Host>, phase: QuotePhase): Quote[] {
  const quotes = new Set<Quote>();
  for (const host of hosts)
    for (const [symbol, phases] of host.quotePhases) {
      const quote = phases.has(phase) ? market.quote(symbol as Ticker) : undefined;
      if (quote && !market.isKept(quote.symbol) && market.isNews(host.id, quote)) quotes.add(quote);
    }
  return [...quotes];
}

/** True for a quote that the venue made in the phase that is on: what it still lists at the open may be of the night. */
function isCurrent({ calendar, now }: Desk, { at }: Quote): boolean {
  if (at >= now) return true;
  return (
    now - at < PHASE_MAX_MS && calendar.phaseAt(epochMs(at)).nextChange === calendar.phaseAt(now).nextChange
  );
}
