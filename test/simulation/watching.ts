import { epochMs } from '../../src/core/brand.ts';
import type { Simulation } from './simulation.ts';

/** Time in ms at the beginning and the end of a session in which an exit may still wait for prices, or for the next one. */
const EDGE_MS = 120_000;

/** P10: has the judge look at the exits of a run, as it is now. */
export function watchExits({ judge, plan, life, runner, time, operator }: Simulation): void {
  if (!runner || judge.held.live.length === 0) return;
  const { holds, accountState, reads } = runner.kernel.context;
  const now = epochMs(time.now());
  const isOpen = plan.sessions.some(({ open, close }) => now > open + EDGE_MS && now < close - EDGE_MS);
  const runs = life?.alive === true && runner.phase === 'running';
  judge.exits.look({
    now,
    isTrading: isOpen && runs && reads.delegated && plan.closure === null && operator.killFiles.size === 0,
    priceOf: (symbol) => judge.priceRead(symbol),
    isHeldBack: (symbol) => accountState.frozen.has(symbol) || holds.against(symbol) !== null,
    restricted: judge.restraint.standing.map(({ scope }) => scope),
  });
}
