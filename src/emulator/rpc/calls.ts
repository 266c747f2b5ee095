import { encodeErrorResult, parseAbi, getAddress, encodeFunctionResult } from 'viem/utils';
import type { Abi } from 'viem';
import { refusalOf } from '../chain/clientWords.ts';
import { type Client, type NodeFace, NodeRefusal, RPC_CODES, faceOf } from '../state/nodeFace.ts';
import { parseDecimal, WAD } from '../../core/amount.ts';
import { InvariantError } from '../../core/errors.ts';
import { type Address, sameAddress } from '../../domain/instrument.ts';
import { type CallTo, callCodec, routerAbi } from '../../wallet/routerAbi.ts';
import { tokenReads, requestOf, isContract, type ContractRequest, tokenAbi } from '../state/calls.ts';
import { cashToken, MULTIPLIER_FUNCTIONS, type TokenTraits } from '../state/constants.ts';
import { balanceOf } from '../state/ledger.ts';
import { allowanceOf, assetOf, decimalsOf, rawOf, nativeOf } from '../state/tokens.ts';
import { type VenueState, operationIdOf } from '../state/venueState.ts';
import type { EpochMs } from '../../core/brand.ts';
import { hashHex } from '../../core/random.ts';
import { OUT_OF_GAS } from '../chain/mining.ts';
import { problemOf } from '../chain/execute.ts';
import { gasToSucceed } from '../chain/gas.ts';
import { orderFrom, placementOf } from '../trading/orders.ts';
import type { Hex, Transaction, Asset } from '../state/state.ts';
import { instantOf, numberOf, requireLatest, type BlockTag } from './blocks.ts';

const errors = parseAbi(['error Error(string reason)', 'error TradeRejected(string cause)']);

function dataOf(form: NodeFace['reverts'], cause: string): Hex {
  if (form === 'bare') return '0x';
  const errorName = form === 'custom' ? 'TradeRejected' : 'Error';
  return encodeErrorResult({ abi: errors, errorName, args: [cause] });
}

type Revert = Readonly<{ form: NodeFace['reverts']; cause: string; data: Hex }>;

/** Responses of clients to a reverting call, where they differ from go-ethereum's. */
const ANSWERS: Partial<Record<Client, (revert: Revert) => NodeRefusal>> = {
  /** RpcErrorType.java: REVERT_ERROR */
  besu: ({ data }) => new NodeRefusal('Execution reverted', RPC_CODES.node, data),
  /** Nethermind.JsonRpc, up to 1.34: the bytes follow a word of its own */
  nethermind: ({ data }) => new NodeRefusal('VM execution error.', -32_015, `Reverted ${data}`),
  /** edr: crates/edr_solidity */
  hardhat: ({ form, cause, data }) => {
    const message = {
      text: `VM Exception while processing transaction: reverted with reason string '${cause}'`,
      custom: `VM Exception while processing transaction: reverted with an unrecognized custom error (return data: ${data})`,
      bare: 'Transaction reverted without a reason string',
    }[form];
    return new NodeRefusal(message, -32_603, { message, data });
  },
};

/** The node's response to a reverting call, with the cause in its form. */
export function reverted({ client, reverts: form }: NodeFace, cause: string): NodeRefusal {
  const data = dataOf(form, cause);
  const own = ANSWERS[client];
  if (own) return own({ form, cause, data });
  const words = form === 'text' ? `execution reverted: ${cause}` : 'execution reverted';
  return new NodeRefusal(words, RPC_CODES.revert, data);
}

/** Name of the token, also shown in the venue's balances. */
const CASH_NAME = 'USD Coin';

type TokenRead = CallTo<(typeof tokenReads)[number]>;

/** Responses of a token (ERC-20). Amounts in raw units. */
function readToken(venue: VenueState, token: Address, read: TokenRead): unknown {
  switch (read.kind) {
    case 'name':
      return venue.listings.get(token.toUpperCase())?.contractName ?? CASH_NAME;
    case 'symbol':
      return venue.listings.get(token.toUpperCase())?.contractSymbol ?? cashToken.symbol;
    case 'decimals':
      return decimalsOf(token);
    case 'totalSupply':
      return rawOf(token, supplyOf(venue, assetIn(venue, token)));
    case 'balanceOf':
      return rawOf(token, walletBalance(venue, read.owner, assetIn(venue, token)));
    case 'allowance':
      return rawOf(token, allowed(venue, { token, ...read }));
    case 'uiMultiplier':
      return parseDecimal(String(traitsOf(venue, token).multiplier ?? 1));
    case 'getCurrentMultiplier':
      return [growthOf(venue, token), 0n, 0n];
    case 'balancePerShare':
      return growthOf(venue, token);
  }
}

function traitsOf({ state, listings }: VenueState, token: Address): TokenTraits {
  const { tokens } = state.constants;
  return tokens?.[listings.get(token.toUpperCase())?.symbol ?? ''] ?? tokens?.['*'] ?? {};
}

/** Factor by which all payments in tokens have increased the balances of a stock. */
const growthOf = (venue: VenueState, token: Address): bigint =>
  venue.state.corporateActions
    .filter(({ symbol }) => symbol === assetIn(venue, token))
    .reduce((factor, { growth = WAD }) => (factor * growth) / WAD, WAD);

/** True for a multiplier that the token's contract does not provide. */
const isMissing = (venue: VenueState, token: Address, { kind }: TokenRead): boolean =>
  MULTIPLIER_FUNCTIONS.some((scale) => scale === kind) && traitsOf(venue, token).contract !== kind;

function assetIn(venue: VenueState, token: Address): Asset {
  const asset = assetOf(venue, token);
  if (asset === null) throw new InvariantError(`no token ${token}`);
  return asset;
}

const walletBalance = ({ state }: VenueState, owner: Address, asset: Asset): bigint =>
  balanceOf(state.balances, { holder: getAddress(owner), bucket: 'wallet' }, asset);

/** Total held by anyone, in wallets and in the contracts. */
const supplyOf = ({ state }: VenueState, asset: Asset): bigint =>
  state.accounts
    .flatMap(({ userAddress: holder }) =>
      (['wallet', 'queued', 'exchange', 'locked'] as const).map((bucket) =>
        balanceOf(state.balances, { holder, bucket }, asset),
      ),
    )
    .reduce((sum, each) => sum + each, 0n);

function allowed(
  { accounts }: VenueState,
  { token, owner, spender }: Readonly<{ token: Address; owner: Address; spender: Address }>,
): bigint {
  const account = accounts.get(owner.toLowerCase());
  return account ? allowanceOf(account, { token, spender }) : 0n;
}

/** A simulated call that is not sent. Wei. */
export type Trial = Readonly<{
  from: Address;
  to: Address;
  data: Hex;
  value: bigint;
  gas: bigint | null;
  /** 0 skips the balance check. */
  gasPrice: bigint;
}>;

const { decode: decodeRead } = callCodec(tokenReads);

/** Result of a call; one whose transaction reverted in the given block fails for the same cause. @throws {NodeRefusal} */
export function call(
  venue: VenueState,
  { trial, tag }: Readonly<{ trial: Trial; tag: BlockTag }>,
  now: EpochMs,
): Hex {
  const cause = causeIn(venue, { trial, tag }, now);
  if (cause !== null) throw failure(venue, trial, cause);
  requireLatest(venue, tag, now);
  const read = tokenRead(venue, trial);
  if (read) return read;
  const asked = requireSound(venue, trial, now);
  const { gas, data } = trial;
  if (gas !== null && gas < gasToSucceed(asked, data)) throw failure(venue, trial, OUT_OF_GAS);
  return resultOf(trial, asked);
}

/** The node's response to a failing call. Running out of gas has neither cause nor data. */
function failure({ state }: VenueState, { gas }: Trial, cause: string): NodeRefusal {
  const face = faceOf(state);
  const isDry = cause === OUT_OF_GAS ? refusalOf(face.client, 'outOfGas', { gas: gas ?? 0n }) : null;
  return isDry ?? reverted(face, cause);
}

function causeIn(venue: VenueState, { trial, tag }: Readonly<{ trial: Trial; tag: BlockTag }>, now: EpochMs) {
  const number = numberOf(venue, tag, now);
  const block = number === null ? [] : (venue.blocks.get(instantOf(venue, number)) ?? []);
  const same = ({ from, to, data }: Transaction) =>
    sameAddress(from, trial.from) && sameAddress(to, trial.to) && data === trial.data;
  return block.find((each) => same(each) && each.receipt?.revert != null)?.receipt?.revert ?? null;
}

/** Response of a token; null for calls that tokens do not support. */
function tokenRead(venue: VenueState, { to, data }: Trial): Hex | null {
  if (assetOf(venue, to) === null) return null;
  const read = decodeRead(data);
  if (!read || isMissing(venue, to, read)) return null;
  const abi: Abi = tokenReads;
  return encodeFunctionResult({ abi, functionName: read.kind, result: readToken(venue, to, read) });
}

/** Request that would succeed now. @throws {NodeRefusal} when it would revert */
function requireSound(venue: VenueState, trial: Trial, now: EpochMs): ContractRequest {
  const { from: user, value } = trial;
  const face = faceOf(venue.state);
  const asked = requestOf(venue, trial);
  if (!asked) throw reverted(face, 'unknown function');
  const placement = placementOf(asked);
  const order = placement && orderFrom(venue, { hash: pretended(trial), user }, placement);
  const problem = problemOf(venue, { call: asked, user, order }, now);
  if (problem !== null) throw reverted(face, problem);
  if (nativeOf(venue, user) < value) throw new NodeRefusal('insufficient funds for transfer');
  return asked;
}

/** Hash for a simulated call, from which ids are derived. */
const pretended = ({ from, data }: Trial): Hex => hashHex(`trial ${from} ${data}`);

function resultOf(trial: Trial, asked: ContractRequest): Hex {
  if (asked.kind === 'approve')
    return encodeFunctionResult({ abi: tokenAbi, functionName: 'approve', result: true });
  const target = routerAbi.find(({ name }) => name === asked.kind);
  if (!target?.outputs.length) return '0x';
  const isCash = asked.kind === 'deposit' || asked.kind === 'withdraw';
  return isCash ? operationIdOf(pretended(trial)) : hashHex(`order ${pretended(trial)}`);
}

/** Gas that a call would use. @throws {NodeRefusal} when it would revert, or its wallet could not pay for it */
export function estimateGas(venue: VenueState, trial: Trial, now: EpochMs): number {
  const { from, data, value, gasPrice } = trial;
  const asked = tokenRead(venue, trial) === null ? requireSound(venue, trial, now) : null;
  const needed = gasToSucceed(asked, data);
  if (gasPrice === 0n) return needed;
  const allowance = (nativeOf(venue, from) - value) / gasPrice;
  if (allowance < BigInt(needed)) throw new NodeRefusal(`gas required exceeds allowance (${allowance})`);
  return needed;
}

/** Code at an address: a placeholder for contracts, empty for others. */
export const codeAt = (venue: VenueState, address: Address): Hex =>
  isContract(venue, address) ? '0xfe' : '0x';

/** Caller of a call that does not name one. */
export const NOBODY: Address = `0x${'0'.repeat(40)}`;
