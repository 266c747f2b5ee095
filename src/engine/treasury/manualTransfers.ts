import { TRANSFER_GROUPS } from '../../api/allowList.ts';
import { cash, formatDecimal, notionalOf, shares, stepOf, WAD_PLACES, type Cash } from '../../core/amount.ts';
import { UNALLOCATED, type Asset } from '../../domain/account/ledger.ts';
import { cashTokenSubject, plainOr } from '../../domain/account/pins.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { assetTaken, isWithdrawal, type MoveTerms } from '../../domain/transfers/transfer.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { deferredUnderWay } from '../../domain/account/deferredSells.ts';
import { fundsFor } from '../risk/limits.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { isMoving, type TreasuryInput, type TreasuryPolicies } from './policy.ts';
import type { CommandId } from '../../domain/operator/restriction.ts';
import { cashTokenName } from '../../domain/account/pinBook.ts';

/** A transfer requested by a person. `cause`: who and why. */
export type ManualTransfer = Readonly<{ terms: MoveTerms; command: CommandId; cause: string }>;

/** Input of the decision on a manual transfer. `read`: null until the account is read after the latest transfer's end. */
type ManualInput = Readonly<{
  context: EngineContext;
  read: TreasuryInput | null;
}>;

/** Reason not to make a manual transfer now, apart from those that stop every transfer; null if none. */
export function againstManualTransfer(terms: MoveTerms, { context, read }: ManualInput): string | null {
  const other = againstToken(terms, context) ?? againstCashier(terms, context);
  if (other !== null) return other;
  if (!read) return 'the account has not been read since the latest transfer: try again in a moment';
  if (isMoving(terms.token, read)) return 'another transfer of it is under way: wait for its end';
  return againstAmount(terms, { context, read }) ?? againstAllowance(terms, read, context);
}

/** Reason why this run makes no transfers of a kind at all; null if none. */
export function againstKind(kind: MoveTerms['kind'], { byHand }: TreasuryPolicies): string | null {
  if (!byHand) return 'this run moves nothing between wallet and venue: its account is simulated';
  if (byHand.has(kind)) return null;
  const group = TRANSFER_GROUPS[kind];
  return `'${group}' is switched off in this run: add it to signing.allow in its config, and start it again`;
}

/** Reason against the contract, or the decimals, of the given token; null if none. */
function againstToken(terms: MoveTerms, { market, accountState }: EngineContext): string | null {
  if ('symbol' in terms) {
    const listed = market.instruments.get(terms.symbol)?.address;
    if (listed !== undefined && sameAddress(listed, terms.token)) return null;
    return `${terms.token} is not the contract of ${terms.symbol} at this venue`;
  }
  if (terms.kind === 'cashWithdrawal') return null;
  const name = cashTokenName(accountState.pins, terms.token);
  const decimals = Number(name === null ? 18 : accountState.pins.of(cashTokenSubject(name))?.['decimals']);
  const isFewer = Number.isInteger(decimals) && decimals >= 0 && decimals < WAD_PLACES;
  const isWhole = !isFewer || terms.amount % stepOf(decimals) === 0n;
  return isWhole ? null : `${name ?? terms.token} has ${decimals} decimals, and the amount has more`;
}

/** Reason why the cashier would refuse a deposit or withdrawal now, according to the venue; null if none. */
function againstCashier({ kind, token, amount }: MoveTerms, { reads }: EngineContext): string | null {
  const { symbol, deposit, withdrawal } = reads.cashTokens.get(token.toLowerCase()) ?? {};
  if (kind === 'cashDeposit' && deposit?.isPaused) return `deposits of ${symbol} are paused`;
  if (kind === 'cashDeposit' && deposit && amount < deposit.least)
    return `a deposit must be at least ${formatDecimal(deposit.least)} ${symbol}`;
  if (kind === 'cashWithdrawal' && withdrawal?.isPaused) return `withdrawals of ${symbol} are paused`;
  return null;
}

type StockTerms = Extract<MoveTerms, { symbol: unknown }>;

type AmountInput = Pick<ManualInput, 'context'> & Readonly<{ read: TreasuryInput }>;

/** Reason why the amount is not covered or has no price; null if none. */
function againstAmount(terms: MoveTerms, { context, read }: AmountInput): string | null {
  if (valueOf(terms, context) === null) return `no price of ${assetTaken(terms)} is known`;
  if (isWithdrawal(terms)) return againstWithdrawal(terms, context);
  const held = ('symbol' in terms ? read.stocks.get(terms.symbol) : read.tokens.get(terms.token)) ?? 0n;
  if (held < terms.amount)
    return `the wallet has ${formatDecimal(held)}, and ${formatDecimal(terms.amount)} is needed`;
  if (terms.kind === 'stockDeposit') return againstOwed(terms, read);
  if (terms.kind !== 'repay') return null;
  if (deferredUnderWay(context.accountState, terms.symbol) > 0n)
    return `a deferred sell of ${terms.symbol} is under way: wait for its end`;
  const owed = read.debts.get(terms.symbol) ?? 0n;
  return owed < terms.amount
    ? `${formatDecimal(owed)} ${terms.symbol} is owed: repay no more than that`
    : null;
}

/** Reason against depositing stock that is needed to repay deferred sells; null if none. */
function againstOwed({ symbol, amount }: StockTerms, read: TreasuryInput): string | null {
  const left = read.uncommittedOf(symbol);
  if (left === null || left >= amount) return null;
  return (
    `the wallet has ${formatDecimal(left)} ${symbol} that are not needed to repay what deferred sells owe, and ` +
    `${formatDecimal(amount)} are to be deposited`
  );
}

/** Reason against a withdrawal; it may only take what is allocated to no strategy. */
function againstWithdrawal(terms: MoveTerms, context: EngineContext): string | null {
  const owned = againstUnallocated(terms, context.accountState);
  if (owned !== null) return owned;
  const asset = withdrawnAsset(terms);
  const available = fundsFor(context, asset)?.available ?? 0n;
  if (available >= terms.amount) return null;
  return `${formatDecimal(terms.amount)} ${asset} to withdraw, ${formatDecimal(available)} that ledger and venue both show as free`;
}

function againstUnallocated(terms: MoveTerms, accountState: AccountState): string | null {
  const asset = withdrawnAsset(terms);
  const free = accountState.ledger.balance(UNALLOCATED, 'free', asset);
  if (free >= terms.amount) return null;
  const owners = ownersOf(accountState, asset);
  const rest = owners === '' ? '' : `. Of the rest, ${owners}`;
  const ways =
    asset === 'mUSD' && owners !== '' ? '. A lower capital in the config frees it at the next start' : '';
  return `${formatDecimal(terms.amount)} ${asset} to withdraw, ${formatDecimal(free)} unallocated${rest}${ways}`;
}

const withdrawnAsset = (terms: MoveTerms): Asset => ('symbol' in terms ? terms.symbol : 'mUSD');

/** Amounts of an asset that strategies hold: `20000 belongs to strategy a`. */
const ownersOf = ({ allocations, ledger }: AccountState, asset: Asset): string =>
  [...allocations.keys()]
    .flatMap((strategyId) => {
      const held = ledger.held(strategyId, asset);
      return held === 0n ? [] : [`${formatDecimal(held)} belongs to strategy ${strategyId}`];
    })
    .join(', ');

/** Reason why the wallet's allowance is too small; null if it is enough, or no spender is known. */
function againstAllowance(
  terms: MoveTerms,
  { allowances, nameOf }: TreasuryInput,
  { isManual }: EngineContext,
): string | null {
  if (isWithdrawal(terms) || !allowances) return null;
  const allowed = allowances.of.get(terms.token.toLowerCase() as Address) ?? 0n;
  if (allowed >= terms.amount) return null;
  const [name, need] = [plainOr(nameOf(terms) ?? terms.token, terms.token), formatDecimal(terms.amount)];
  const approve = `drover wallet approve ${name} ${need}`;
  return (
    `the wallet has approved ${formatDecimal(allowed)} ${name} for ${allowances.spender}, and ${need} is needed. ` +
    (isManual ? `\`${approve}\` approves it` : `Stop the run, approve it by "${approve}", and start it again`)
  );
}

/** Value of a transfer in mUSD; null for stock without a price. */
export function valueOf(terms: MoveTerms, { market }: EngineContext): Cash | null {
  if (!('symbol' in terms)) return cash(terms.amount);
  const price = market.price(terms.symbol);
  return price === null ? null : notionalOf(shares(terms.amount), price, 'up');
}
