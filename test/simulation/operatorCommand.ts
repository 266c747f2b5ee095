import { cash, shares } from '../../src/core/amount.ts';
import type { OperatorCommand } from '../../src/domain/operator/command.ts';
import { ticker, type Ticker } from '../../src/domain/instrument.ts';
import { isUnanswered } from '../../src/domain/orders/order.ts';
import type { IntentTerms } from '../../src/domain/orders/orderIntent.ts';
import { cashToken } from '../../src/emulator/state/constants.ts';
import type { Said } from './operatorPlan.ts';
import { reloadTo } from './reloading.ts';
import type { Simulation } from './simulation.ts';
import { gapOf } from './standing.ts';
import type { Scope } from '../../src/domain/operator/restriction.ts';

const SYMBOLS = ['AAPL', 'GOOGL', 'KO', 'NVDA', 'MSFT', 'META', 'PLUG'].map(ticker);
const UNIT = 10n ** 18n;
/** Share of commands about a missing object, if there is none to name. */
const WRONG = 0.2;
/** Time in ms after its deadline at which an order that the venue has not taken can no longer reach it. */
const TOO_LATE_MS = 150_000;

const among = <T>(from: readonly T[], roll: number): T | undefined => from[Math.floor(roll * from.length)];

/** The command that a word makes of the present state of the run; null where there is nothing to say it of. */
export function commandOf({ word, rolls }: Said, simulation: Simulation): OperatorCommand | null {
  const { scope: wide, choice, size } = rolls;
  const scope = scopeOf(simulation, wide, choice);
  switch (word) {
    case 'pause':
      return { kind: 'trade', state: 'halted', scope, cancel: size < 0.5 };
    case 'reduce':
      return { kind: 'trade', state: 'reducing', scope, cancel: size < 0.5 };
    case 'resume':
      return { kind: 'trade', state: 'active', scope };
    case 'cancel':
      return cancelOf(simulation, scope, size);
    case 'flatten':
      return { kind: 'flatten', scope, unallocated: size < 0.3 };
    case 'freeze':
      return { kind: 'freeze', symbol: symbolOf(choice) };
    case 'unfreeze':
      return unfreezeOf(simulation, choice);
    case 'accept':
      return acceptOf(simulation, choice);
    case 'acceptOrder':
      return acceptOrderOf(simulation, choice);
    case 'resolve':
      return resolveOf(simulation, choice);
    case 'acknowledge':
      return { kind: 'acknowledge' };
    case 'order':
      return orderOf(simulation, { wide, choice, size });
    case 'transfer':
      return { kind: 'transfer', terms: { kind: 'cashDeposit', token: cashToken.address, amount: UNIT } };
    case 'reload':
      return reloadTo(size);
    case 'stop':
      return { kind: 'stop', cancel: size < 0.5 };
    case 'killFile':
      return null;
  }
}

const symbolOf = (roll: number): Ticker => among(SYMBOLS, roll) ?? ticker('KO');

function scopeOf({ plan }: Simulation, wide: number, choice: number): Scope {
  const strategyId = among(plan.strategies, choice)?.id ?? '';
  if (wide < 0.4) return {};
  if (wide < 0.6) return { strategyId };
  return wide < 0.9 ? { symbol: symbolOf(choice) } : { strategyId, symbol: symbolOf(choice) };
}

/** Cancels a scope, an order that is open, or one that never was. */
function cancelOf(simulation: Simulation, scope: Scope, roll: number): OperatorCommand {
  if (roll < 0.4) return { kind: 'cancel', scope };
  const [order] = booksOf(simulation)?.live.values() ?? [];
  return { kind: 'cancel', scope: {}, orders: [roll < 0.9 && order ? order.id : 'nobody-1.1'] };
}

const booksOf = ({ runner }: Simulation) => runner?.kernel.context.accountState;

/** True if an operator who also reads the venue would see false statements. */
const isDeceived = ({ venue, plan }: Simulation): boolean => plan.lies && venue.lied.size > 0;

function unfreezeOf(simulation: Simulation, roll: number): OperatorCommand | null {
  if (isDeceived(simulation)) return null;
  const frozen = [...(booksOf(simulation)?.frozen.keys() ?? [])];
  if (frozen.length === 0 && roll > WRONG) return null;
  return { kind: 'unfreeze', subject: among(frozen, roll) ?? 'fees' };
}

/** Accepts what the venue has, where it really has it and nothing under way may change it. */
function acceptOf(simulation: Simulation, roll: number): OperatorCommand | null {
  const accountState = booksOf(simulation);
  if (!accountState || isDeceived(simulation)) return null;
  const assets = [...accountState.ledger.assets].filter(
    (asset) => gapOf(simulation.venue, accountState, asset) !== 0n,
  );
  if (assets.length === 0 && roll > WRONG) return null;
  return { kind: 'accept', asset: among(assets, roll) ?? 'KO' };
}

function acceptOrderOf(simulation: Simulation, roll: number): OperatorCommand | null {
  const found = [...(booksOf(simulation)?.externals.unaccepted.keys() ?? [])];
  if (found.length === 0 && roll > WRONG) return null;
  return { kind: 'acceptOrder', txHash: among(found, roll) ?? `0x${'12'.repeat(32)}` };
}

/** Resolves an order only if that is true: the venue does not have it, and cannot get it any more. */
function resolveOf(simulation: Simulation, roll: number): OperatorCommand | null {
  const { judge, venue, time } = simulation;
  const lost = [...(booksOf(simulation)?.live.values() ?? [])].find((order) => {
    if (!isUnanswered(order) || !('deadline' in order.state)) return false;
    const isThere = venue.txByMark.has(judge.sends.get(order.id) ?? '');
    return !isThere && order.state.deadline * 1_000 + TOO_LATE_MS < time.now();
  });
  if (!lost && roll > WRONG) return null;
  return { kind: 'resolve', id: lost?.id ?? 'nobody-1.1' };
}

type Rolls = Readonly<{ wide: number; choice: number; size: number }>;

function orderOf({ plan }: Simulation, { wide, choice, size }: Rolls): OperatorCommand {
  const strategyId = among(plan.strategies, choice)?.id ?? '';
  const owner = wide < 0.8 ? { strategyId } : {};
  return { kind: 'order', symbol: symbolOf(size), terms: termsOf(wide, size), ...owner };
}

function termsOf(roll: number, size: number): IntentTerms {
  const whole = BigInt(1 + Math.floor(4 * size));
  if (roll < 0.3) return { kind: 'buy', notional: cash(whole * 100n * UNIT) };
  if (roll < 0.5) return { kind: 'buyShares', quantity: shares(whole * UNIT) };
  if (roll < 0.7) return { kind: 'sell', quantity: 'all' };
  return { kind: 'sell', quantity: shares(whole * UNIT) };
}
