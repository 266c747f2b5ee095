import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { inTime, type Clock } from '../../core/clock.ts';
import { toJson } from '../../core/json.ts';
import { ConfigError, InvalidValueError, OutcomeUnknownError } from '../../core/errors.ts';
import type { Secrets } from '../../core/secrets.ts';
import type {
  OperatorAnswer,
  OperatorCommand,
  OperatorRequest,
  Reload,
} from '../../domain/operator/command.ts';
import { ticker } from '../../domain/instrument.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { bareId } from '../../domain/orders/order.ts';
import type { External } from '../../domain/orders/reportMatching.ts';
import type { CommandedRun } from '../daemon.ts';
import { commandSchema } from '../model/commandState.ts';
import { manualPlanOf, planSchema, tokenOf, type NamedTransfer } from '../model/manualPlan.ts';
import { sentRowOf } from '../model/sentRow.ts';
import { RefusedRequest } from './request.ts';
import { ok, type Call, type Reply, type ValueRoute } from './route.ts';
import { deferred, symbol, VERBS, type Verb } from './steering.ts';
import type { CommandId } from '../../domain/operator/restriction.ts';

/** Maximum time that a request waits for the response to its command, in ms. */
const ANSWER_MS = 20_000;

const answered = z.object({
  id: z.string(),
  done: z.boolean().describe('false while the command waits for the venue: ask GET /v1/commands/:id'),
  text: z.string().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
});

export type CommandParts = Readonly<{ daemon: CommandedRun; clock: Pick<Clock, 'after'>; secrets: Secrets }>;

/** Endpoints for planning manual orders and transfers, and for giving commands. */
export const commandRoutesOf = (parts: CommandParts): ValueRoute[] => [
  ...plansOf(parts.daemon),
  ...steeringOf(parts),
];

const steeringOf = (parts: CommandParts): ValueRoute[] =>
  Object.entries(VERBS).map(([name, verb]) => ({
    method: 'POST',
    path: `/v1/${name}`,
    summary: verb.summary,
    body: verb.body,
    answer: answered,
    isMoney: verb.isMoney,
    handle: (call) => steer(verb, call, parts),
  }));

async function steer(verb: Verb, { caller, body }: Call, parts: CommandParts): Promise<Reply> {
  const { daemon, secrets } = parts;
  const { id, reason, command } = verb.parse(body);
  requireNoSecret({ id, command }, secrets);
  const [by, why] = [secrets.redact(caller.by), secrets.redact(reason)];
  const request = { id, by, reason: why, command: withOwnIds(command, daemon) };
  requireSame(request, daemon);
  const answer = await answerOf(request, parts);
  if (answer === null) return { status: 202, body: { id, done: false } };
  if (answer.kind === 'done')
    return { status: 200, body: { id, done: true, text: answer.text, result: answer.result } };
  throw new RefusedRequest(answer.because === 'safety' ? 'SAFETY' : 'USAGE', answer.text);
}

/** Refuses a command that would put a secret into the journal; in a reason it is masked instead. */
function requireNoSecret(command: object, secrets: Secrets): void {
  const text = toJson(command);
  if (secrets.redact(text) === text) return;
  throw new RefusedRequest(
    'USAGE',
    'the command contains a token or a key: replace that secret. Nothing was done',
  );
}

/** True for a repeated command; the daemon itself adds the alarms or settings affected. */
const isSame = (known: OperatorCommand, given: OperatorCommand): boolean =>
  known.kind === given.kind &&
  ((known.kind === 'reload' && given.kind === 'reload' && isSameReload(known, given)) ||
    (known.kind === 'acknowledge' && given.kind === 'acknowledge' && known.alarm === given.alarm) ||
    isDeepStrictEqual(known, given));

const isSameReload = (known: Reload, given: Reload): boolean =>
  (known.dryRun ?? false) === (given.dryRun ?? false) && (known.yes ?? false) === (given.yes ?? false);

/** Refuses an id already used for another command, whose response would be mistaken for this one's. */
function requireSame({ id, command }: OperatorRequest, daemon: Pick<CommandedRun, 'context'>): void {
  const known = daemon.context.accountState.commands.of(id);
  if (!known || isSame(known.request.command, command)) return;
  throw new RefusedRequest(
    'USAGE',
    `the id ${id} was used for another command (${known.request.command.kind}). Nothing was done: give this one an id of its own`,
  );
}

/** Response to a command; null if it does not come in time. @throws {RefusedRequest} when the run ends before */
async function answerOf(
  request: OperatorRequest,
  { daemon, clock }: Omit<CommandParts, 'secrets'>,
): Promise<OperatorAnswer | null> {
  try {
    return await inTime(ANSWER_MS, clock, () => daemon.command(request));
  } catch (error) {
    if (error instanceof OutcomeUnknownError) throw new RefusedRequest('UNKNOWN', error.message);
    throw error;
  }
}

function commandOf(daemon: CommandedRun, id: string): z.output<typeof commandSchema> {
  const found = daemon.progress(id as CommandId);
  if (!found) throw new RefusedRequest('NOT_FOUND', 'there is no command of this id in this journal');
  const { request, answer, isDone, cancelled, sold, left } = found;
  const { by, reason, command } = request;
  const progress = { isDone, cancelled, sold, left: [...left] };
  const [sent, ended] = [sentRowOf(found), found.ended ?? null];
  return { id, by, reason, command, done: answer !== null, answer, progress, sent, ended };
}

/** Endpoint for the progress of a command. */
export const commandRead = (daemon: CommandedRun): ValueRoute => ({
  method: 'GET',
  path: '/v1/commands/:id',
  summary: 'A command, its answer and what is left of it.',
  answer: commandSchema,
  handle: ({ params }) => ok(commandOf(daemon, params['id'] ?? '')),
});

const MAX = 100;
const word = (meaning: string) => z.string().min(1).max(MAX).describe(meaning);

const orderQuery = z.strictObject({
  symbol,
  side: word('buy or sell'),
  shares: word('number of shares; `all` sells everything that is held').optional(),
  notional: word('mUSD to spend on a buy at the market').optional(),
  limit: word('price in mUSD a share; at the market without it').optional(),
  deferred,
  strategy: word('id of the strategy whose money and shares it uses; unallocated without it').optional(),
});

const transferQuery = z.strictObject({
  kind: z.enum(['cashDeposit', 'cashWithdrawal', 'stockDeposit', 'stockWithdrawal', 'repay']),
  amount: word('in whole units of the cash token, mUSD for a withdrawal, or shares'),
  symbol: symbol.optional().describe('symbol of the stock; none for cash'),
  cashToken: word('symbol or address of the cash token; needed where there are several').optional(),
});

/** Placeholder id and reason for a plan, which has neither. */
const UNNAMED = { id: 'plan-0000', reason: '' };

/** Endpoints that show what a manual order or transfer would do, without sending anything. */
const plansOf = (daemon: CommandedRun): ValueRoute[] => [
  {
    method: 'GET',
    path: '/v1/plan/orders',
    summary: 'What a manual order would do. Nothing is sent.',
    query: orderQuery,
    answer: planSchema,
    handle: ({ query }) => named(() => planOf(daemon, 'orders', orderQuery.parse(query))),
  },
  {
    method: 'GET',
    path: '/v1/plan/transfers',
    summary: 'What a manual transfer would do. Nothing is sent.',
    query: transferQuery,
    answer: planSchema,
    handle: ({ query }) =>
      named(() => planOf(daemon, 'transfers', resolved(daemon, transferQuery.parse(query)))),
  },
];

/** Runs a plan. @throws {RefusedRequest} for an unknown stock, token or amount */
function named(plan: () => Reply): Reply {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof InvalidValueError)) throw error;
    throw new RefusedRequest('USAGE', `${error.message}. Nothing was sent`);
  }
}

/** Body of a transfer with its token replaced by the contract. */
function resolved(
  { context }: Pick<CommandedRun, 'context'>,
  named: NamedTransfer,
): Readonly<Record<string, unknown>> {
  const { kind, amount, symbol } = named;
  const token = tokenOf(context, named);
  return { kind, amount, token, ...(symbol === undefined ? {} : { symbol: ticker(symbol) }) };
}

function planOf(
  daemon: CommandedRun,
  verb: 'orders' | 'transfers',
  body: Readonly<Record<string, unknown>>,
): Reply {
  const { command } = VERBS[verb].parse({ ...UNNAMED, ...body });
  const plan = manualPlanOf(daemon.context, command);
  const { text: refusal = null, because: refused = null } = daemon.refusal(command) ?? {};
  return { status: 200, body: { ...plan, refusal, refused, body } };
}

/** The journal's id of an order named by that id, the venue's id or its transaction; external orders are known by transaction. */
export function ownIdOf({ byTx, byVenueId, externals }: AccountState, name: string): string {
  const own = byTx.get(name) ?? byVenueId.get(bareId(name));
  if (own !== undefined) return own;
  const isNamed = ({ report }: External): boolean =>
    typeof report?.orderId === 'string' && bareId(report.orderId) === bareId(name);
  return [...externals.all.values()].find(isNamed)?.txHash ?? name;
}

/** A cancel with venue ids and transaction hashes of orders replaced by the run's own ids. */
function withOwnIds(command: OperatorCommand, { context }: Pick<CommandedRun, 'context'>): OperatorCommand {
  if (command.kind !== 'cancel' || command.orders === undefined) return command;
  return { ...command, orders: command.orders.map((name) => ownIdOf(context.accountState, name)) };
}
