import { cashOf, type BacktestOptions } from '../../backtest/options.ts';
import { strategiesOf } from '../../backtest/setup.ts';
import { quotePhases } from '../../strategy/dataNeeds.ts';

/** Warning that strategies hear quotes in a run that no backtest has, in one line; null when there are none. */
export function phaseWarning(options: BacktestOptions): string | null {
  const unheard = strategiesOf(options, cashOf(options)).flatMap(({ id, needs }) =>
    [...quotePhases(needs)].flatMap(([symbol, phases]) => {
      const others = [...phases].filter((phase) => phase !== 'regular');
      return others.length > 0 ? [`${id} asks for quotes of ${symbol} in ${others.join(', ')}`] : [];
    }),
  );
  if (unheard.length === 0) return null;
  return `${unheard.join('; ')}: bars are of the regular session alone, so onQuote is called in that session only; a run hears the others too`;
}
