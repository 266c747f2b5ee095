import type { Session, TradingCalendar } from '../../calendar/index.ts';
import { MINUTE_MS, DAY_MS, epochMs, type EpochMs } from '../../core/brand.ts';
import { sleepUnless, type Clock } from '../../core/clock.ts';
import { isVenueFault, messageOf, UnauthorizedError } from '../../core/errors.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { TransferPort } from '../../domain/transfers/transfer.ts';
import type { AccountReport, Venue } from '../../domain/venue.ts';
import type { PollingPeriods } from '../../domain/operator/settings.ts';
import type { BarFeed } from '../../market/feed.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { KernelEvent, Question, ReadRequest } from '../state/kernelEvent.ts';
import { exDateBegins } from '../../sim/dayEnd.ts';
import { isTraded } from '../state/tradingWindow.ts';
import { withRecalledOf, type Recalling } from './outsideBars.ts';
import type { GapRecovery } from './recovery.ts';
import { OtherPrices } from './otherPrices.ts';
import { listExternal, listTransfers, offerUntraced, type Sweep, sweepOrders } from './sweep.ts';

export type PollingOptions = Readonly<{
  kernel: Kernel;
  venue: Venue;
  /** Port of transfers; without it, none are made. */
  transferPort?: TransferPort | undefined;
  clock: Clock;
  calendar: TradingCalendar;
  periods: PollingPeriods;
  feed: BarFeed;
  take: (event: KernelEvent) => void;
  onFatal: (error: unknown) => void;
  /** Nothing is read here while the recovery doubts the clock. */
  recovery: Pick<GapRecovery, 'isClockDoubted'>;
  /** Called after each comparison of ledger and venue. */
  onCompared: () => void;
}> &
  Recalling;

/** Minimum period in ms of the reads without live orders or an open session. */
const IDLE_MS = 60_000;
/** Wait in ms after the end of a bar before it is read, and before each retry while the venue is late. */
const BAR_DELAY_MS = 1_500;
const BAR_RETRY_MS = 5_000;
/** Growth factor of the wait between reads that confirm the end of an order. */
const CONFIRM_GROWTH = 1.5;
const BAR_TRIES = 10;
/** Greatest age in ms at which an ended bar is still read. */
const CATCH_UP_MS = 4 * DAY_MS;
/** Lead time in ms at which corporate actions are read before the open, and before the evening that begins an ex-date. */
const ACTIONS_LEAD_MS = 300_000;
/** Period in ms of the reads of fees and cash tokens. */
const TERMS_MS = 600_000;
/** Longest wait in ms before a failed read is repeated; the wait grows with each failure. */
const BACK_OFF_MAX_MS = 30_000;

/** Polls the venue. Each loop reads, passes the response on as an event, and sleeps on the clock. */
export class Polling {
  readonly #options: PollingOptions;
  readonly #stopped = new AbortController();
  #loops: Promise<void>[] = [];
  #sweptAt = epochMs(0);
  /** True while the account is read repeatedly until it confirms the ends of orders. */
  #isConfirming = false;
  /** Wait in ms before the next of these reads. */
  #confirmMs = 0;
  /** Date of the session for which the corporate actions were read. */
  #actionsFor: string | null = null;
  /** Time at which the latest list of corporate actions was requested. */
  #actionsAt = -Infinity;
  readonly #otherPrices: OtherPrices;
  /** Consecutive failed reads, by question. */
  readonly #failures = new Map<Question, number>();

  constructor(options: PollingOptions) {
    this.#options = options;
    this.#otherPrices = new OtherPrices({ ...options, signal: this.#stopped.signal });
  }

  /** Periods from the config or its latest reload. A wait already begun keeps its length. */
  get #periods(): PollingPeriods {
    return this.#options.kernel.context.polling ?? this.#options.periods;
  }

  start(): void {
    const { venue } = this.#options;
    const start = (reads: readonly PollTask[]) => reads.map((read) => this.#loop(...read));
    this.#loops = [
      ...start([
        ['quotes', () => this.#quotes(), () => this.#inSession(this.#periods.quotesMs)],
        ['orders', () => this.#sweepIfDue(), () => this.#periods.ordersMs],
        ['account', () => this.#account(), () => this.#hasLive(this.#periods.accountMs)],
      ]),
      this.#bars(),
      ...start(venue.terms ? [['terms', () => this.#terms(), () => TERMS_MS]] : []),
      ...start(
        venue.corporateActions
          ? [['corporate actions', () => this.#actions(), () => this.#untilActions()]]
          : [],
      ),
    ];
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all([...this.#loops, this.#otherPrices.ended]);
  }

  /**
   * Reads the order list once, even if it was read recently: back to the oldest live order, or to `since` if that is
   * earlier.
   */
  async sweep(since: EpochMs | null = null): Promise<Sweep> {
    const { kernel, venue, clock, take } = this.#options;
    const live = [...kernel.context.accountState.live.values()].flatMap(({ state }) =>
      'at' in state ? [state.at] : [],
    );
    const ends = since === null ? live : [...live, since];
    const oldestLive = ends.length === 0 ? null : epochMs(Math.min(...ends));
    const asked = clock.now();
    this.#sweptAt = asked;
    const sweep = await sweepOrders(venue, { live: live.length, oldestLive });
    take({ kind: 'swept', asked, ...sweep });
    return sweep;
  }

  /** Reads listings, One Click and the order list, as far as the venue shows them, and then polls. */
  async startForCancel(since: EpochMs): Promise<void> {
    const { venue, take } = this.#options;
    await this.#asked('quotes', () => this.#quotes(), undefined);
    await this.#asked('account', async () => take(delegationEvent(await venue.delegation())), undefined);
    await this.#asked('orders', () => this.sweep(since), null);
    this.start();
  }

  /** Reads the list of corporate actions, if the venue has one. Failed reads are repeated later. */
  async readActions(): Promise<void> {
    await this.#asked('corporate actions', () => this.#actions(), undefined);
  }

  /** Reads fees and cash tokens, if the venue states them, and the token prices in use. Failed reads are repeated later. */
  async readTerms(): Promise<void> {
    await this.#asked('terms', () => this.#terms(), undefined);
    this.#otherPrices.tokensIfDue(this.#periods);
    await this.#otherPrices.ended;
  }

  async #terms(): Promise<void> {
    const terms = await this.#options.venue.terms?.();
    if (terms) this.#options.take({ kind: 'terms', terms });
  }

  read(effect: ReadRequest): Promise<void> {
    switch (effect.kind) {
      case 'rewarm':
        return this.#rewarm(effect.symbol);
      case 'readActions':
        return this.readActions();
      case 'readWitness':
        return this.#otherPrices.witness(effect.symbol, nextMinute(this.#options.clock.now()));
      case 'readAccount':
        return this.#confirm();
      case 'readTransfers':
        return this.readExternal();
    }
  }

  /**
   * Reads the account now, and again while another read could bring news: often at first, then less often, down to the
   * usual period. A new end of an order restarts this.
   */
  async #confirm(): Promise<void> {
    const { kernel } = this.#options;
    const look = () => this.#asked('account', () => this.#account(), undefined);
    this.#confirmMs = this.#periods.ordersMs;
    if (this.#isConfirming) return look();
    this.#isConfirming = true;
    for (await look(); kernel.awaitsAccount && (await this.#sleep(this.#confirmMs)); await look())
      this.#confirmMs = Math.min(this.#confirmMs * CONFIRM_GROWTH, this.#periods.accountMs);
    this.#isConfirming = false;
  }

  /** Reads the bars of a stock again, repeating until there is a response. */
  async #rewarm(symbol: Ticker): Promise<void> {
    const { feed, clock, take } = this.#options;
    const read = async () => {
      const bars = withRecalledOf(symbol, await feed.rewarm(symbol, clock.now()), this.#options);
      if (!this.#stopped.signal.aborted) take({ kind: 'rewarmed', symbol, bars });
      return true;
    };
    while (!(await this.#asked('bars', read, false))) if (!(await this.#sleep(BAR_RETRY_MS))) return;
  }

  async #actions(): Promise<void> {
    const { kernel, venue, clock, take } = this.#options;
    const asked = clock.now();
    const session = this.#sessionAhead();
    const actions = (await venue.corporateActions?.(kernel.actions.query)) ?? [];
    take({ kind: 'actions', asked, actions });
    this.#actionsFor = session?.date ?? null;
    this.#actionsAt = asked;
  }

  /**
   * Wait in ms until the next read of corporate actions: once per session day, shortly before the open, and shortly
   * before the evening that begins an ex-date. An action published later shows up as a difference first.
   */
  #untilActions(): number {
    const { clock, calendar, kernel } = this.#options;
    const now = clock.now();
    const session = this.#sessionAhead();
    if (session && this.#actionsFor !== session.date) return BAR_RETRY_MS;
    const after = epochMs(Math.max(session?.open ?? now, now));
    const next = calendar.nextSession(after);
    const evening = exDateBegins(calendar, next.date, kernel.context.rules.dividends ?? {}) - ACTIONS_LEAD_MS;
    if (now >= evening && this.#actionsAt < evening) return BAR_RETRY_MS;
    return (now < evening ? evening : next.open - ACTIONS_LEAD_MS) - now;
  }

  /** The open session, or the one about to open. */
  #sessionAhead(): Session | undefined {
    const { clock, calendar } = this.#options;
    return calendar.sessionAt(epochMs(clock.now() + ACTIONS_LEAD_MS));
  }

  async #quotes(): Promise<void> {
    const { venue, take, feed, kernel } = this.#options;
    take({ kind: 'listed', listings: await venue.listings() });
    feed.quoted((symbol) => kernel.context.market.quote(symbol));
    this.#otherPrices.tokensIfDue(this.#periods);
  }

  async #account(): Promise<void> {
    const { venue, take, onCompared } = this.#options;
    this.#otherPrices.readGrowth();
    take(delegationEvent(await venue.delegation()));
    const asked = this.#options.clock.now();
    take({ kind: 'account', asked, report: await this.account() });
    const offsetMs = venue.offsetMs?.() ?? null;
    if (offsetMs !== null) take({ kind: 'skew', offsetMs });
    onCompared();
  }

  /** Reads the account. Debts are read only if wanted: when some exist, or a policy repays them. */
  async account(wantsDebts = this.#options.kernel.treasury.wantsDebts): Promise<AccountReport> {
    const { venue, transferPort } = this.#options;
    const report = await venue.account();
    return transferPort && wantsDebts ? { ...report, debts: await transferPort.debts() } : report;
  }

  /** Reads the order list at every call while orders are under way, less often while they rest, and rarely without any. */
  async #sweepIfDue(): Promise<void> {
    const { kernel, clock } = this.#options;
    const live = [...kernel.context.accountState.live.values()];
    const moving =
      live.some(({ state, cancel }) => state.kind !== 'working' || cancel.kind !== 'none') ||
      kernel.context.accountState.externals.isCancelling;
    const period =
      moving || kernel.freshness.isStale
        ? 0
        : Math.max(live.length > 0 ? 0 : IDLE_MS, this.#periods.restingMs);
    if (clock.now() - this.#sweptAt >= period) await this.sweep();
    await this.readTransfers();
  }

  /** Reads the lists of transfers under way, if there are any. */
  async readTransfers(): Promise<void> {
    const { transferPort: port } = this.#options;
    if (!port) return;
    const untraced = await listTransfers({ ...this.#options, port });
    await offerUntraced({ ...this.#options, port }, untraced);
  }

  /** Reads the lists of external transfers that the config accepts. A failed read is repeated with the next difference. */
  async readExternal(): Promise<void> {
    const { transferPort: port } = this.#options;
    if (!port) return;
    try {
      await listExternal({ ...this.#options, port });
    } catch (error) {
      if (!isVenueFault(error)) this.#options.onFatal(error);
    }
  }

  /** Reads bars at each minute that ends one. Skipped minutes are read too, because a daily bar ends in only one of them. */
  async #bars(): Promise<void> {
    const { clock, feed, take } = this.#options;
    let boundary = nextMinute(clock.now());
    while (await this.#sleep(boundary - clock.now())) {
      if (feed.endsAt(boundary)) await this.#barsAt(boundary);
      // Prices outside the session may be read only once a minute, so the last one of a bar is read here.
      if (feed.endsOutside(boundary)) await this.#asked('quotes', () => this.#quotes(), undefined);
      const made = feed.made(boundary);
      if (made.length > 0) take({ kind: 'bars', bars: made });
      const earliest = Math.max(boundary + MINUTE_MS, clock.now() - CATCH_UP_MS);
      boundary = nextMinute(epochMs(Math.min(earliest - 1, clock.now())));
    }
  }

  /** Reads the bars that end at `boundary`, and retries while the venue is late or does not respond. */
  async #barsAt(boundary: EpochMs): Promise<void> {
    const { clock } = this.#options;
    const before = clock.now() - boundary < BAR_RETRY_MS ? BAR_DELAY_MS : 0;
    for (let tries = 0; tries < BAR_TRIES;) {
      if (!(await this.#sleep(tries === 0 ? before : BAR_RETRY_MS))) return;
      const isComplete = await this.#asked('bars', () => this.#barsOf(boundary), null);
      if (isComplete === true) return;
      if (isComplete === false) tries++;
      else if (!(await this.#sleep(BAR_RETRY_MS))) return;
    }
  }

  async #barsOf(boundary: EpochMs): Promise<boolean> {
    const { feed, clock } = this.#options;
    const { bars, complete, read, failures } = await feed.poll(boundary, clock.now());
    for (const [symbol, error] of failures) this.#failed(`bars of ${symbol}`, error);
    for (const symbol of read) if (!failures.has(symbol)) this.#answered(`bars of ${symbol}`);
    if (bars.length > 0) this.#options.take({ kind: 'bars', bars });
    return complete;
  }

  async #loop(...[question, ask, periodOf]: PollTask): Promise<void> {
    while (await this.#sleep(this.#backedOff(question, periodOf())))
      await this.#asked(question, ask, undefined);
  }

  #backedOff(question: Question, periodMs: number): number {
    const longer = periodMs * 2 ** (this.#failures.get(question) ?? 0);
    return Math.max(periodMs, Math.min(longer, BACK_OFF_MAX_MS));
  }

  /** Runs a read. A failure is reported and repeated later; an internal error ends the run. */
  async #asked<T>(question: Question, ask: () => Promise<T>, otherwise: T): Promise<T> {
    if (this.#options.recovery.isClockDoubted) return otherwise;
    try {
      const answer = await ask();
      this.#answered(question);
      return answer;
    } catch (error) {
      this.#failed(question, error);
      return otherwise;
    }
  }

  #answered(question: Question): void {
    if (this.#failures.delete(question)) this.#options.take({ kind: 'answered', question });
  }

  #failed(question: Question, error: unknown): void {
    if (!isVenueFault(error)) return this.#options.onFatal(error);
    const failures = (this.#failures.get(question) ?? 0) + 1;
    this.#failures.set(question, failures);
    const unauthorized = error instanceof UnauthorizedError;
    try {
      this.#options.take({ kind: 'unread', question, failures, unauthorized, why: messageOf(error) });
    } catch (broken) {
      this.#options.onFatal(broken);
    }
  }

  /** Period of a read: longer while nothing trades, but at most until trading starts, when waiting intents need a price. */
  #inSession(periodMs: number): number {
    const { clock, calendar, kernel } = this.#options;
    const now = clock.now();
    if (calendar.sessionAt(now)) return periodMs;
    const idle = Math.max(IDLE_MS, periodMs);
    const { rules } = kernel.context;
    if (!rules.trade) return Math.min(idle, calendar.nextSession(now).open - now);
    const { phase, nextChange } = calendar.phaseAt(now);
    return isTraded(rules, phase) ? periodMs : Math.min(idle, nextChange - now);
  }

  #hasLive(periodMs: number): number {
    return this.#options.kernel.context.accountState.live.size > 0 ? periodMs : this.#inSession(periodMs);
  }

  /** Sleeps. False if polling was stopped meanwhile. */
  async #sleep(ms: number): Promise<boolean> {
    const { signal } = this.#stopped;
    return !signal.aborted && (await sleepUnless(signal, this.#options.clock, ms));
  }
}

/** A repeated read: its name, its action, and the wait in ms before the next one. */
type PollTask = readonly [question: Question, ask: () => Promise<void>, periodOf: () => number];

const nextMinute = (now: EpochMs): EpochMs => epochMs((Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS);

/** The venue's response about One Click, as an event. */
export const delegationEvent = ({
  enabled,
  delegatee,
}: Awaited<ReturnType<Venue['delegation']>>): KernelEvent => ({
  kind: 'delegation',
  enabled,
  ...(delegatee === undefined ? {} : { delegatee }),
});
