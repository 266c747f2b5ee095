import { z } from 'zod';
import { ConfigError, InvalidValueError } from '../../core/errors.ts';
import { ticker } from '../../domain/instrument.ts';
import { bareId } from '../../domain/orders/order.ts';
import type { OperatorCommand } from '../../domain/operator/command.ts';
import { handPlanOf, planSchema, tokenOf, type NamedTransfer } from '../model/handPlan.ts';
import type { Daemon } from '../daemon.ts';
import { RefusedRequest } from './request.ts';
import type { Reply, Route } from './route.ts';
import { symbol, VERBS } from './steering.ts';

const MAX = 100;
const text = (meaning: string) => z.string().min(1).max(MAX).describe(meaning);

const orderQuery = z.strictObject({
  symbol,
  side: text('buy or sell'),
  shares: text('number of shares; `all` sells everything that is held').optional(),
  notional: text('mUSD to spend on a buy at the market').optional(),
  limit: text('price in mUSD a share; at the market without it').optional(),
  strategy: text('id of the strategy whose money and shares it uses; unallocated without it').optional(),
});

const transferQuery = z.strictObject({
  kind: z.enum(['cashDeposit', 'cashWithdrawal', 'stockDeposit', 'stockWithdrawal', 'repay']),
  amount: text('in whole units of the cash token, mUSD for a withdrawal, or shares'),
  symbol: symbol.optional().describe('symbol of the stock; none for cash'),
  cashToken: text('symbol or address of the cash token; needed where there are several').optional(),
});

/** Stands for the id and the reason, which a plan has none of. */
const UNNAMED = { id: 'plan-0000', reason: '' };

/** Endpoints that say what an order or a transfer by hand would do, and send nothing. */
export const handRoutesOf = (daemon: Daemon): Route[] => [
  {
    method: 'GET',
    path: '/v1/plan/orders',
    summary: 'What an order by hand would do. Nothing is sent.',
    query: orderQuery,
    answer: planSchema,
    handle: ({ query }) => named(() => planOf(daemon, 'orders', orderQuery.parse(query))),
  },
  {
    method: 'GET',
    path: '/v1/plan/transfers',
    summary: 'What a transfer by hand would do. Nothing is sent.',
    query: transferQuery,
    answer: planSchema,
    handle: ({ query }) =>
      named(() => planOf(daemon, 'transfers', resolved(daemon, transferQuery.parse(query)))),
  },
];

/** Plan of what exists. @throws {RefusedRequest} for a stock, token or amount that does not */
function named(plan: () => Reply): Reply {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof InvalidValueError)) throw error;
    throw new RefusedRequest('USAGE', `${error.message}. Nothing was sent`);
  }
}

/** Body of a transfer whose token is named by its contract. */
function resolved({ context }: Daemon, named: NamedTransfer): Readonly<Record<string, unknown>> {
  const { kind, amount, symbol } = named;
  const token = tokenOf(context, named);
  return { kind, amount, token, ...(symbol === undefined ? {} : { symbol: ticker(symbol) }) };
}

function planOf(
  daemon: Daemon,
  verb: 'orders' | 'transfers',
  body: Readonly<Record<string, unknown>>,
): Reply {
  const { command } = VERBS[verb].parse({ ...UNNAMED, ...body });
  const plan = handPlanOf(daemon.context, command);
  const { text: refusal = null, because: refused = null } = daemon.refusal(command) ?? {};
  return { status: 200, body: { ...plan, refusal, refused, body } };
}

/** A cancel with the run's own ids of orders that it names by the venue's id or by the hash of their transaction. */
export function withOwnIds(command: OperatorCommand, { context }: Daemon): OperatorCommand {
  if (command.kind !== 'cancel' || command.orders === undefined) return command;
  const { byTx, byVenueId } = context.accountState;
  const orders = command.orders.map((name) => byTx.get(name) ?? byVenueId.get(bareId(name)) ?? name);
  return { ...command, orders };
}
