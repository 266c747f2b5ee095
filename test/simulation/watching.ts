import { tradingCalendar } from '../../src/calendar/index.ts';
import { WAD } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import type { Phase } from '../../src/calendar/index.ts';
import type { SyntheticOrder } from '../../src/domain/orders/syntheticOrder.ts';
import type { Simulation } from './simulation.ts';

/** Time in ms at the beginning and the end of a phase in which an exit may still wait for prices, or for the next one. */
const EDGE_MS = 120_000;

/** P10: makes the judge check the exits of a run in its present state. */
export function watchExits(simulation: Simulation): void {
  const { judge, plan, life, runner, time, operator } = simulation;
  if (!runner || judge.held.live.length === 0) return;
  const { holds, accountState, reads } = runner.kernel.context;
  const now = epochMs(time.now());
  const { phase, since, nextChange } = tradingCalendar.phaseAt(now);
  const isWithin = now > since + EDGE_MS && now < nextChange - EDGE_MS;
  const runs = life?.alive === true && runner.phase === 'running' && reads.delegated;
  const maySell = isWithin && runs && plan.closure === null && operator.killFiles.size === 0;
  judge.exits.look({
    now,
    isTrading: (order) => maySell && (phase === 'regular' || sellsOutside(simulation, order, phase)),
    priceOf: (symbol) => judge.priceRead(symbol, since),
    isHeldBack: (symbol) => accountState.frozen.has(symbol) || holds.against(symbol) !== null,
    restricted: judge.restraint.standing.map(({ scope }) => scope),
  });
}

/** True for an exit of a phase outside the session that has a whole share to sell of a stock that trades then. */
function sellsOutside({ plan, runner }: Simulation, order: SyntheticOrder, phase: Phase): boolean {
  const { accountState, market } = runner?.kernel.context ?? {};
  const { strategyId, symbol, terms, phases } = order;
  const isOfPhase = plan.nights && phases?.some((each) => each === phase);
  if (!isOfPhase || !accountState || market?.instruments.get(symbol)?.overnightTradable !== true)
    return false;
  const isWhole = !('quantity' in terms) || terms.quantity === 'all' || terms.quantity >= WAD;
  return isWhole && accountState.ledger.held(strategyId, symbol) >= WAD;
}
