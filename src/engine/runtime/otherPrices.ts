import { price, WAD, wadFromNumber, type Price } from '../../core/amount.ts';
import { MINUTE_MS, epochMs, type EpochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { atVenueFault, isVenueFault } from '../../core/errors.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { PollingPeriods } from '../../domain/operator/settings.ts';
import type { TokenQuote, TokenMultipliers } from '../../domain/premium.ts';
import type { Venue } from '../../domain/venue.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { KernelEvent } from '../state/kernelEvent.ts';
import { boundsPremium, inForce } from '../state/tokenPrices.ts';

/** Longest wait in ms for the multipliers of a token. */
const NODE_MS = 2_000;
const NOTHING = (): null => null;

type OtherPricesOptions = Readonly<{
  kernel: Pick<Kernel, 'actions' | 'context' | 'strategies'>;
  venue: Venue;
  clock: Clock;
  take: (event: KernelEvent) => void;
  onFatal: (error: unknown) => void;
  /** Aborted when results are no longer wanted. */
  signal: AbortSignal;
}>;

/** Reads stock prices from sources other than the venue's list. A failed read is skipped. */
export class OtherPrices {
  readonly #options: OtherPricesOptions;
  #tokensAt = -Infinity;
  #isReadingGrowth = false;
  #nodeRestsUntil = -Infinity;
  /** Resolves when the latest reads of tokens are done. */
  ended: Promise<void> = Promise.resolve();

  constructor(options: OtherPricesOptions) {
    this.#options = options;
  }

  /** Reads the price of a stock from its underlying and its token, and from the 1m bar that ends at `to`. */
  async witness(symbol: Ticker, to: EpochMs): Promise<void> {
    const { venue, kernel } = this.#options;
    const query = { symbol, interval: '1m', from: epochMs(to - MINUTE_MS), to, limit: 1 } as const;
    const reads = [
      async () => {
        const quote = await venue.tokenQuote?.(symbol);
        return quote ? pricesIn(inForce(kernel.context, quote)) : [];
      },
      async () => (await venue.bars(query)).map(({ close }) => price(wadFromNumber(close))),
    ];
    for (const read of reads)
      await this.#attempt(async () => ({ kind: 'priceWitness', symbol, prices: await read() }));
  }

  /** Starts reading the multipliers of tokens that are about to grow or have grown, unless a read is under way. */
  readGrowth(): void {
    const { kernel, venue } = this.#options;
    const { growing } = kernel.actions;
    if (!venue.tokenMultipliers || growing.size === 0 || this.#isReadingGrowth) return;
    this.#isReadingGrowth = true;
    const read = this.#growth(growing).then(() => (this.#isReadingGrowth = false));
    this.ended = Promise.all([this.ended, read]).then(() => undefined);
  }

  async #growth(symbols: Iterable<Ticker>): Promise<void> {
    for (const symbol of symbols)
      await this.#attempt(async () => {
        if (this.#options.signal.aborted) return null;
        const growth = (await this.#multipliersOf(symbol))?.growth ?? null;
        return growth === null ? null : { kind: 'multiplier', symbol, multiplier: growth };
      });
  }

  /** Multipliers of a token; null if the chain does not show them. Waits briefly only, and pauses a minute if the node is silent. */
  async #multipliersOf(symbol: Ticker): Promise<TokenMultipliers | null> {
    const { kernel, venue, clock, signal } = this.#options;
    const token = kernel.context.market.instruments.get(symbol)?.address;
    if (!token || !venue.tokenMultipliers || clock.monotonic() < this.#nodeRestsUntil) return null;
    const read = venue.tokenMultipliers(token).catch(atVenueFault(() => null));
    const answered = new AbortController();
    const late = clock.sleep(NODE_MS, AbortSignal.any([signal, answered.signal])).then(NOTHING, NOTHING);
    const multipliers = await Promise.race([read, late]);
    answered.abort();
    if (multipliers === null) this.#nodeRestsUntil = clock.monotonic() + MINUTE_MS;
    return multipliers;
  }

  /** Starts reading the tokens of stocks used by strategies, the account or an order, if those prices are wanted and due. */
  tokensIfDue({ tokenPricesMs }: PollingPeriods): void {
    const { kernel, venue, clock } = this.#options;
    const period = tokenPricesMs ?? (boundsPremium(kernel.context.rules) ? MINUTE_MS : Infinity);
    if (period === Infinity || !venue.tokenQuote || clock.monotonic() - this.#tokensAt < period) return;
    this.#tokensAt = Infinity;
    const read = this.#attempt(async () => ({ kind: 'tokenQuotes', quotes: await this.#tokens() }));
    this.ended = Promise.all([this.ended, read]).then(() => undefined);
    void read.then(() => (this.#tokensAt = clock.monotonic()));
  }

  async #tokens(): Promise<readonly TokenQuote[]> {
    const { context, strategies } = this.#options.kernel;
    const quotes: TokenQuote[] = [];
    const { instruments, wantedTokens } = context.market;
    for (const symbol of instruments.keys()) {
      const isWanted = strategies.named.has(symbol) || context.concerns(symbol) || wantedTokens.has(symbol);
      if (!isWanted) continue;
      await this.#attempt(async () => {
        const quote = await this.#options.venue.tokenQuote?.(symbol);
        if (!quote) return null;
        const own = quote.ratio === null ? await this.#multipliersOf(symbol) : null;
        quotes.push({ ...quote, ratio: quote.ratio ?? own?.ratio ?? null });
        return null;
      });
    }
    return quotes;
  }

  /** Applies the result of a read. An internal error ends the run. */
  async #attempt(read: () => Promise<KernelEvent | null>): Promise<void> {
    const { signal, take, onFatal } = this.#options;
    try {
      const event = await read();
      if (event && !signal.aborted) take(event);
    } catch (error) {
      if (!isVenueFault(error)) onFatal(error);
    }
  }
}

/** Both prices of a share; none if the venue shows no token price. */
function pricesIn({ share, price: value, ratio }: TokenQuote): readonly Price[] {
  if (value === null) return [];
  return [share, price(ratio === null || ratio <= 0n ? value : (value * WAD) / ratio)];
}
