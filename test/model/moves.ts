/**
 * Deposits and withdrawals of cash and stock by `/send`, between a wallet and the venue. The cashier's buffers decide
 * whether the cash token arrives at once or is queued; with the opening buffers every amount that a wallet here holds
 * is instant.
 */
import { bpsOf, placesOf, textOf, WAD, wadOf } from './amount.ts';
import { CASH, inWallet, type ModelAccount } from './account.ts';
import { broken, NOT_FOUND, silent, TRADING_RULE, VALIDATION, type Fault } from './verdict.ts';

export type MoveKind = 'cash/deposits' | 'cash/withdrawals' | 'stock/deposits' | 'stock/withdrawals';

export interface MoveRequest {
  readonly move: MoveKind;
  readonly tokenAddress: string;
  readonly amount: string;
}

export interface CashToken {
  readonly symbol: string;
  readonly address: string;
  readonly decimals: number;
}

export interface ModelMove {
  readonly kind: MoveKind;
  readonly asset: string;
  readonly amount: bigint;
  readonly userAddress: string;
}

const INPUT = [VALIDATION, TRADING_RULE];
const WITHDRAWAL_BPS = 21n;
const MINIMUM_DEPOSIT = 90n * WAD;

/** Lists what is wrong with a request to move cash or stock; `asset` is the token at its address, undefined for none. */
export const moveFaults = (
  request: MoveRequest,
  asset: string | undefined,
  token: CashToken,
): readonly Fault[] => {
  const { move, amount } = request;
  const cash = move.startsWith('cash/');
  const wad = wadOf(amount);
  const places = move === 'cash/deposits' ? token.decimals : 18;
  return [
    ...(asset === undefined || (asset === token.symbol) !== cash
      ? [broken('token of another kind', [VALIDATION, NOT_FOUND, TRADING_RULE])]
      : []),
    ...(wad === undefined ? [broken('amount is no plain decimal', [VALIDATION])] : []),
    ...(wad === 0n ? [broken('amount is zero', INPUT)] : []),
    ...(placesOf(amount) > places ? [broken('amount with more places than its token', INPUT)] : []),
    ...(move === 'cash/deposits' && wad !== undefined && wad < MINIMUM_DEPOSIT
      ? [silent('deposit under its minimum: refused, or reverted')]
      : []),
  ];
};

interface Leg {
  readonly asset: string;
  readonly amount: bigint;
}

/** Part of an amount that the token's decimals can express, which is all a withdrawal pays. */
const expressible = (wad: bigint, decimals: number) => wad - (wad % 10n ** BigInt(18 - decimals));

const legsOf = ({ kind, asset, amount }: ModelMove, token: CashToken): readonly [Leg, Leg] => {
  switch (kind) {
    case 'cash/deposits':
      return [
        { asset: inWallet(token.symbol), amount },
        { asset: CASH, amount },
      ];
    case 'cash/withdrawals': {
      const paid = expressible(amount - bpsOf(amount, WITHDRAWAL_BPS), token.decimals);
      return [
        { asset: CASH, amount },
        { asset: inWallet(token.symbol), amount: paid },
      ];
    }
    case 'stock/deposits':
      return [
        { asset: inWallet(asset), amount },
        { asset, amount },
      ];
    case 'stock/withdrawals':
      return [
        { asset, amount },
        { asset: inWallet(asset), amount },
      ];
  }
};

export interface MoveCircumstances {
  readonly token: CashToken;
  /** True for an address that may not withdraw stock. */
  readonly restricted: boolean;
}

/** Carries out a move whose transaction was mined, or explains its revert; returns contradictions to the rules. */
export const mineMove = (
  move: ModelMove,
  account: ModelAccount,
  outcome: MoveCircumstances & { readonly reverted: boolean },
): readonly string[] => {
  const [from, to] = legsOf(move, outcome.token);
  const { available } = account.holding(from.asset);
  const causes = [
    ...(available < from.amount ? [`${textOf(available)} of ${textOf(from.amount)} ${from.asset}`] : []),
    ...(outcome.restricted && move.kind === 'stock/withdrawals' ? ['the address is restricted'] : []),
    ...(move.kind === 'cash/deposits' && move.amount < MINIMUM_DEPOSIT ? ['under the minimum'] : []),
    ...(to.amount === 0n ? ['nothing would arrive'] : []),
  ];
  if (outcome.reverted)
    return causes.length > 0
      ? []
      : [`${move.kind} of ${textOf(move.amount)} ${move.asset} reverted without a cause`];
  account.receive(from.asset, -from.amount);
  account.receive(to.asset, to.amount);
  return causes.map((cause) => `${move.kind} of ${textOf(move.amount)} ${move.asset} was mined: ${cause}`);
};
