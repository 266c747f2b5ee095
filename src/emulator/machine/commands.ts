import { z } from 'zod';
import { toSeconds, type EpochMs, epochMs, toIso } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { Refusal, uuidOf } from '../state/messages.ts';
import { findRoute, isEndpoint } from '../routes/index.ts';
import { type VenueState, priceOf, schedule } from '../state/venueState.ts';
import { parseDecimal, parsePrice, toNumber } from '../../core/amount.ts';
import { ticker } from '../../domain/instrument.ts';
import { executeOwn } from '../chain/execute.ts';
import { announce, corporateAction } from '../trading/corporateActions.ts';
import { changeConstants, constants, cashToken, contracts } from '../state/constants.ts';
import { freeze, quotes, overrideSession, session } from '../trading/sessions.ts';
import { faultPlan, setPlan } from '../faults/plan.ts';
import { fork, reorg } from '../chain/reorg.ts';
import { isMethod } from '../rpc/methods.ts';
import type { Bucket } from '../state/ledger.ts';
import type { Account, ApiKey, State, Step, Asset } from '../state/state.ts';
import { approve } from '../state/tokens.ts';

const PATH = '/api/v1/orders/send';
const DEADLINE_S = 90;

/** `body` is that of `POST /orders/send`; its default deadline is 90 s from now. A read-only key suffices. */
const externalOrder = z.strictObject({ apiKey: z.string(), body: z.record(z.string(), z.json()) });

/** Places the order as the venue does for a signed request. @throws {InvalidValueError} when the venue refuses it */
function placeExternal(
  venue: VenueState,
  { apiKey, body }: z.output<typeof externalOrder>,
  now: EpochMs,
): void {
  const key = venue.keys.get(apiKey);
  const match = findRoute('POST', PATH);
  if (!key || !match) throw new InvalidValueError('there is no such key');
  const order = { deadline: toSeconds(now) + DEADLINE_S, ...body };
  try {
    match.handle({
      venue,
      now,
      key,
      path: {},
      query: new URLSearchParams(),
      body: JSON.stringify(order),
      uuid: uuidOf(`foreign ${apiKey} ${now}`),
      recovered: null,
      disorder: null,
    });
  } catch (error) {
    if (error instanceof Refusal) throw new InvalidValueError(error.message);
    throw error;
  }
}

/** Commands with which a test changes the venue. Each is an input like a request, so it survives a restart. */
export const commands = {
  /** Sets the price of a symbol now; it moves on from there. */
  market: z.strictObject({ symbol: z.string(), price: z.string() }),
  /** Replaces the active faults. */
  faults: faultPlan,
  /**
   * External transfers. `asset` is mUSD (in the cashier), the cash token or native money for gas (in the wallet), or a
   * stock (on the exchange); a negative amount is taken away.
   */
  move: z.strictObject({
    userAddress: z.string(),
    asset: z.string(),
    amount: z.string(),
    /** `locked` and `queued` belong to orders and operations: they can only be increased. */
    bucket: z.enum(['exchange', 'wallet', 'locked', 'queued', 'debt']).optional(),
  }),
  /** An order placed by another program with this key. */
  order: externalOrder,
  /** Changes to a key that only the venue's operator can make. */
  keys: z.strictObject({
    apiKey: z.string(),
    active: z.boolean().optional(),
    /** True unbinds the wallet from the key. */
    unbound: z.boolean().optional(),
    expiresAt: z.iso.datetime().nullish(),
    ipWhitelist: z.array(z.string()).optional(),
    access: z.enum(['READ_ONLY', 'WRITABLE']).optional(),
  }),
  /** The cashier's buffers, in mUSD and cash tokens; its pauses and failures. */
  cashier: z.strictObject({
    creditBuffer: z.string().optional(),
    withdrawalBuffer: z.string().optional(),
    depositPaused: z.boolean().optional(),
    withdrawPaused: z.boolean().optional(),
    /** While true, queued operations end as `failed` when due, and the money is returned. */
    failing: z.boolean().optional(),
  }),
  /** Fees, minimums, steps, page sizes, words and time limits of the venue, from now on. */
  constants,
  /** Amount that a wallet has approved for the router. `token` is the cash token's symbol or a stock. */
  allowance: z.strictObject({ userAddress: z.string(), token: z.string(), amount: z.string() }),
  /** Permission for deferred sells. A restricted address can neither sell deferred nor withdraw stock. */
  'deferred-sell': z.strictObject({
    userAddress: z.string(),
    whitelisted: z.boolean().optional(),
    restricted: z.boolean().optional(),
  }),
  /** Takes effect at the open of its ex-date, by default that of the next session. Rates are those of a split. */
  'corporate-action': corporateAction,
  /** `enable`, `disabled`, or an undocumented word. */
  delegation: z.strictObject({ userAddress: z.string(), status: z.string().min(1).max(40) }),
  quotes,
  session,
  reorg,
} as const;

export type Command = {
  [Kind in keyof typeof commands]: Readonly<{ kind: Kind; body: z.output<(typeof commands)[Kind]> }>;
}[keyof typeof commands];

/** Parses the body of a command. @throws {z.ZodError} when it is invalid */
export const parseCommand = (kind: Command['kind'], body: unknown): Command =>
  ({ kind, body: commands[kind].parse(body) }) as Command;

type Body<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>['body'];

type CommandRunner<Body> = (venue: VenueState, body: Body, now: EpochMs) => void;

const runs: Readonly<{ [Kind in Command['kind']]: CommandRunner<Body<Kind>> }> = {
  market: setPrice,
  faults: ({ state }, plan, now) => setPlan(state, { plan, isKnown }, now),
  move,
  order: placeExternal,
  keys: changeKey,
  cashier: changeCashier,
  constants: ({ state }, change) => changeConstants(state, change),
  allowance: allow,
  'deferred-sell': changeDeferredSell,
  'corporate-action': announce,
  delegation(venue, { userAddress, status }) {
    accountAt(venue, userAddress).delegation.status = status;
  },
  quotes: freeze,
  session: overrideSession,
  reorg: ({ state }, body, now) => fork(state, body, now),
};

/** Runs a command. @throws {InvalidValueError} when it names something unknown; nothing has changed then */
export const runCommand = (venue: VenueState, { kind, body }: Command, now: EpochMs): void =>
  (runs[kind] as CommandRunner<unknown>)(venue, body, now);

function setPrice(venue: VenueState, { symbol: name, price }: Body<'market'>, now: EpochMs): void {
  const symbol = venue.listings.get(name.toUpperCase())?.symbol;
  if (symbol === undefined) throw new InvalidValueError(`${name} is not listed`);
  const target = toNumber(parsePrice(price));
  if (target <= 0) throw new InvalidValueError('a price must be above 0');
  const factor = target / toNumber(priceOf(venue, symbol, now));
  venue.state.shocks = [...venue.state.shocks, { symbol, at: now, factor }];
}

const isKnown = (on: 'venue' | 'node', endpoint: string): boolean =>
  on === 'venue' ? isEndpoint(endpoint) : isMethod(endpoint);

function accountAt(venue: VenueState, address: string): Account {
  const account = venue.accounts.get(address.toLowerCase());
  if (!account) throw new InvalidValueError(`there is no account ${address}`);
  return account;
}

const OTHER_ASSETS: readonly Asset[] = ['mUSD', cashToken.symbol, 'native'];

function placeOf(name: string): { asset: Asset; bucket: Bucket } {
  if (name === 'mUSD') return { asset: name, bucket: 'exchange' };
  if (name === cashToken.symbol || name === 'native') return { asset: name, bucket: 'wallet' };
  return { asset: ticker(name), bucket: 'exchange' };
}

function move(venue: VenueState, body: Body<'move'>, now: EpochMs): void {
  const { userAddress } = accountAt(venue, body.userAddress);
  const place = { ...placeOf(body.asset), ...(body.bucket && { bucket: body.bucket }) };
  if (!OTHER_ASSETS.includes(place.asset) && !venue.listings.has(place.asset))
    throw new InvalidValueError(`${body.asset} is not listed`);
  const amount = parseDecimal(body.amount, {
    signed: true,
    places: place.asset === cashToken.symbol ? cashToken.decimals : 18,
  });
  const call = { kind: 'moveExternal', userAddress, ...place, amount } as const;
  const revert = executeOwn(venue, call, now);
  if (revert !== null) throw new InvalidValueError(revert);
}

function keyAt({ keys }: VenueState, apiKey: string): ApiKey {
  const key = keys.get(apiKey);
  if (!key) throw new InvalidValueError('there is no such key');
  return key;
}

function changeKey(venue: VenueState, { apiKey, ...body }: Body<'keys'>): void {
  const { active, expiresAt, ipWhitelist, unbound, access } = body;
  const key = keyAt(venue, apiKey);
  if (access !== undefined) key.access = access;
  if (unbound !== undefined) key.unbound = unbound;
  if (active !== undefined) key.active = active;
  if (expiresAt !== undefined) key.expiresAt = expiresAt === null ? null : epochMs(Date.parse(expiresAt));
  if (ipWhitelist !== undefined) key.ipWhitelist = ipWhitelist;
}

function changeCashier({ state: { cashier } }: VenueState, body: Body<'cashier'>): void {
  const credit = bufferOf(body.creditBuffer, cashier.creditBufferCapacity);
  const tokens = bufferOf(body.withdrawalBuffer, cashier.withdrawalBufferCapacity);
  cashier.creditBuffer = credit ?? cashier.creditBuffer;
  cashier.withdrawalBuffer = tokens ?? cashier.withdrawalBuffer;
  cashier.depositPaused = body.depositPaused ?? cashier.depositPaused;
  cashier.withdrawPaused = body.withdrawPaused ?? cashier.withdrawPaused;
  cashier.failing = body.failing ?? cashier.failing;
}

function bufferOf(text: string | undefined, capacity: bigint): bigint | null {
  if (text === undefined) return null;
  const wad = parseDecimal(text);
  if (wad > capacity) throw new InvalidValueError(`a buffer of ${text} is above its capacity`);
  return wad;
}

function allow(venue: VenueState, { userAddress, token, amount }: Body<'allowance'>): void {
  const account = accountAt(venue, userAddress);
  const address = token === cashToken.symbol ? cashToken.address : venue.listings.get(token)?.address;
  if (!address) throw new InvalidValueError(`${token} is no token of this venue`);
  approve(account, { token: address, spender: contracts.router, amount: parseDecimal(amount) });
}

function changeDeferredSell(venue: VenueState, body: Body<'deferred-sell'>): void {
  const { deferredSell } = accountAt(venue, body.userAddress);
  deferredSell.whitelisted = body.whitelisted ?? deferredSell.whitelisted;
  deferredSell.restricted = body.restricted ?? deferredSell.restricted;
}

const KINDS = Object.keys(commands) as [Command['kind'], ...Command['kind'][]];

/** Commands to run at given instants, in addition to steps already scheduled. */
export const script = z.strictObject({
  steps: z
    .array(z.strictObject({ at: z.iso.datetime(), command: z.enum(KINDS), body: z.json() }))
    .min(1)
    .max(1000),
});

export type Script = z.output<typeof script>;

/** Schedules steps. @throws {InvalidValueError} for a step in the past or an invalid body; nothing has changed then */
export function addSteps({ state }: VenueState, { steps }: Script, now: EpochMs): void {
  const parsed = steps.map(({ at, command, body }, index): Step => {
    const instant = epochMs(Date.parse(at));
    if (instant < now)
      throw new InvalidValueError(`steps[${index}]: it is ${toIso(now)} already, past ${at}`);
    return { at: instant, command: parseStep(command, body, index), isDone: false, error: null };
  });
  for (const step of parsed) {
    schedule(state, { due: step.at, kind: 'step', id: state.script.length });
    state.script.push(step);
  }
}

function parseStep(kind: Command['kind'], body: unknown, index: number): Command {
  try {
    return parseCommand(kind, body);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new InvalidValueError(`steps[${index}] (${kind}): ${z.prettifyError(error)}`);
  }
}

/** Cancels all scheduled steps. */
export function clearSteps({ state }: VenueState): void {
  state.tasks = state.tasks.filter(({ kind }) => kind !== 'step');
  state.script.splice(0);
}

/** Runs a step that is due. */
export function runStep(venue: VenueState, id: number, at: EpochMs): void {
  const step = venue.state.script[id];
  if (!step) return;
  step.isDone = true;
  try {
    runCommand(venue, step.command as Command, at);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    step.error = error.message;
  }
}

export const scriptView = ({ script: steps }: State) =>
  steps.map(({ at, command: { kind, body }, isDone, error }) => ({
    at: toIso(at),
    command: kind,
    body,
    isDone,
    error,
  }));
