import { formatDecimal } from '../../../core/amount.ts';
import { moneyText, sharesText } from '../../../domain/amountText.ts';
import { ConfigError, OutcomeUnknownError, closingAfter } from '../../../core/errors.ts';
import { sameAddress, type Address } from '../../../domain/instrument.ts';
import { configOf, venueOf } from '../../../app/config/load.ts';
import { spenderOf, walletAtHand, withVenue } from '../../../app/environment/connect.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { holdingOf, tokensNamed, tokensOf } from '../../../app/environment/market.ts';
import { printResult, table } from '../../../process/output.ts';
import { exitOf, lookMsOf, lookOnChain, watch } from '../../../app/transfers/chainTrace.ts';
import { checkHash } from '../../../app/transfers/orderRow.ts';
import { openChain } from '../../../app/transfers/walletSends.ts';

/** `drover wallet address`: address of the configured key, and whether it is `venue.userAddress`. Sends no request. */
export async function walletAddress(_flags: object, context: CommandContext): Promise<number> {
  const venue = venueOf(configOf(context));
  const { address } = await walletAtHand(venue, context);
  const own = sameAddress(address, venue.userAddress);
  printResult(context, { address, userAddress: venue.userAddress, own }, address);
  if (!own) context.terminal.err(`this is not venue.userAddress, which is ${venue.userAddress}`);
  return own ? EXIT.done : EXIT.failed;
}

type AllowanceFlags = Readonly<{ token?: string; spender?: string }>;

/** `drover wallet allowance [TOKEN]`: amounts that the venue's contract may take from the wallet. */
export const walletAllowance = (flags: AllowanceFlags, context: CommandContext): Promise<number> =>
  withVenue(context, async ({ client, venue }) => {
    const spender = spenderIn(flags) ?? spenderOf(venue);
    if (!spender)
      throw new ConfigError('no contract is named: set venue.router or venue.spender, or pass --spender');
    const all = await tokensOf({ client, venue }, spender);
    const wanted = flags.token === undefined ? all : tokensNamed(all, flags.token);
    const tokens = wanted.map(({ symbol, stockSymbol, address }) => {
      const { wallet, allowance } = holdingOf(all, address);
      const fields = { symbol: stockSymbol ?? symbol, address, spender, wallet: formatDecimal(wallet) };
      return { ...fields, allowance: allowance === null ? null : formatDecimal(allowance) };
    });
    const cells = wanted.map(({ symbol, stockSymbol, address, isStock }) => {
      const { wallet, allowance } = holdingOf(all, address);
      const text = isStock ? sharesText : moneyText;
      const approved = allowance === null ? '-' : text(allowance, 'down');
      return [stockSymbol ?? symbol, text(wallet, 'down'), approved, address];
    });
    const numbers = ['wallet', 'allowance'];
    return printResult(context, tokens, table(['token', ...numbers, 'address'], cells, numbers));
  });

function spenderIn({ spender }: AllowanceFlags): Address | null {
  if (spender === undefined) return null;
  if (/^0x[0-9a-fA-F]{40}$/.test(spender)) return spender as Address;
  throw new ConfigError('--spender must be an address');
}

/** The printed JSON. */
type TransactionRow = Readonly<{ txHash: string; status: string }>;

/** `drover wallet show TX`: status of a transaction on the chain. With `--wait` until it is mined. */
export const walletShow = (
  { tx, wait = false }: Readonly<{ tx: string; wait?: boolean }>,
  context: CommandContext,
): Promise<number> =>
  withVenue(context, async (account) => {
    const txHash = checkHash(tx, 'a transaction is named by its hash');
    return closingAfter(await openChain(account), async ({ chain }) => {
      const look = lookOnChain((status): TransactionRow => ({ txHash, status }), {
        txHash,
        clock: account.clock,
        lookMs: lookMsOf(account),
        traceOf: (...asked) => chain.trace(...asked),
      });
      const { observation, interrupted } = await watch(look, account, wait);
      if (observation?.end === 'unknown')
        throw new OutcomeUnknownError(`${observation.status}. Nothing was sent by this command`);
      if (!observation && !interrupted)
        throw new ConfigError(`the chain has no trace of ${txHash} (yet); --wait waits for it`);
      if (observation) printResult(context, observation.row, `${txHash}: ${observation.status}`);
      return interrupted ? EXIT.interrupted : exitOf(observation);
    });
  });
