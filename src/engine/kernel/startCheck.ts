import { formatDecimal } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { sleepUnless, type Clock } from '../../core/clock.ts';
import { isVenueFault, messageOf } from '../../core/errors.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { compareAccount } from '../../domain/account/comparison.ts';
import { isSmall } from '../../domain/account/dust.ts';
import type { JournalEntry } from '../../domain/journalEvent.ts';
import type { OrderId } from '../../domain/orders/order.ts';
import { describeExternal } from '../../domain/orders/reportMatching.ts';
import type { AccountReport } from '../../domain/venue.ts';
import type { Notify } from '../state/notice.ts';

/** Wait in ms between the first two reads of the account; it doubles each time. */
const FIRST_WAIT_MS = 1_000;
/** Time in ms for which a difference that orders under way may explain is only watched, before an alarm. */
const PATIENCE_MS = 30_000;
/** Maximum number of orders named in one message. */
const NAMED_MAX = 5;

/**
 * End of the previous trading run. `killed`: it journaled no end, as after `kill -9` or a power cut; `at`: its last
 * entry. Commands without a run also write to the journal, but do not count.
 */
export type LastEnd = Readonly<{ how: 'in order' | 'at once' | 'crashed' | 'killed'; at: EpochMs }>;

/** Records when the last trading run last saw the venue (later rows of the order list may be new), and how it ended. */
export class LastRun {
  private isTrading = false;
  /** End of the run before this one; null for the first on the journal. */
  end: LastEnd | null = null;
  /** Orders that were open when the last run ended, oldest first. */
  live: readonly OrderId[] = [];
  /** Time of the last entry of a trading run; null if there was none. */
  seenUntil: EpochMs | null = null;

  note({ at, fact }: JournalEntry): void {
    if (fact.kind === 'epoch') this.isTrading = false;
    if (fact.kind === 'started') this.isTrading = true;
    if (this.isTrading) this.seenUntil = at;
    if (this.isTrading) this.end = { how: 'killed', at };
    if (fact.kind !== 'ended') return;
    this.end = { how: fact.how, at };
    this.isTrading = false;
  }
}

/**
 * The account, read after the order list; or why it was not read. `complete`: the list was read back to the journal's
 * last entry.
 */
export type StartLook = Readonly<{ complete: boolean; report: AccountReport }> | string;

/** A reason not to send yet. `passing`: orders under way may explain it. */
export type StartDoubt = Readonly<{ key: string; text: string; passing: boolean }>;

/** Subject of the alarm about doubts. */
const START = 'start';
/** Key of the doubt about an incomplete read, which raises an alarm of its own. */
const LIST = 'list';

/** Compares ledger and venue after a read, ignoring dust and differences in the wallet, on which no order depends. */
function doubtsOf(accountState: AccountState, look: StartLook): StartDoubt[] {
  if (typeof look === 'string') return [{ key: LIST, text: look, passing: true }];
  const { complete, report } = look;
  const doubts: StartDoubt[] = complete
    ? []
    : [{ key: LIST, text: "the venue's orders could not be read whole", passing: true }];
  const mismatches = accountState.opened === null ? [] : compareAccount(accountState, report);
  for (const { side, asset, expected, actual, explainable } of mismatches.filter((one) => !isSmall(one))) {
    if (side === 'wallet') continue;
    const what = side === 'debt' ? `${asset} owed` : asset;
    const text = `${what}: ${formatDecimal(expected)} in the ledger, ${formatDecimal(actual)} at the venue`;
    doubts.push({ key: `${side} ${asset}`, text, passing: explainable });
  }
  const unaccepted = [...accountState.externals.unaccepted.values()];
  for (const external of unaccepted.slice(0, NAMED_MAX))
    doubts.push({
      key: external.txHash,
      text: `order ${describeExternal(external)} is not in the journal`,
      passing: false,
    });
  const rest = unaccepted.length - NAMED_MAX;
  if (rest > 0)
    doubts.push({ key: 'more', text: `${rest} more orders that are not in the journal`, passing: false });
  return doubts;
}

const REMEDY =
  'The run checks again and continues by itself once they agree; cancels are still sent. `drover reconcile` shows both sides. ' +
  'If an older journal was restored, put back the latest one, or begin a new one (`drover journal recover`). If the venue is ' +
  'right, accept its state beside the run: `drover accept ASSET --reason TEXT --yes`, `drover orders accept TX --reason TEXT`';

export type StartCheckOptions = Readonly<{
  accountState: AccountState;
  clock: Clock;
  /** Longest wait in ms between two reads. */
  waitMaxMs: number;
  look: () => Promise<StartLook>;
  /** Called before each wait: a run whose time is over stops here. */
  onWaiting: () => void;
  notify: Notify;
}>;

/**
 * The start rule: no order is placed until the account, read after the journal, agrees with the ledger, and the key has
 * no order that the journal does not know. Otherwise a restored older journal would buy again.
 */
export class StartCheck {
  readonly #options: StartCheckOptions;
  readonly #ended = new AbortController();
  #why: string | null = 'ledger and account have not been compared since the start';
  #doubts: readonly StartDoubt[] = [];
  #reported: ReadonlySet<string> = new Set();

  constructor(options: StartCheckOptions) {
    this.#options = options;
  }

  /** Reason why nothing may be placed yet; null once ledger and account have agreed. */
  get reason(): string | null {
    return this.#why;
  }

  /** Differences of the latest read; null if it found none. */
  get unconfirmed(): string | null {
    return this.#doubts.length === 0 ? null : textOf(this.#doubts);
  }

  /** Ends the wait, whether confirmed or not. */
  stop(): void {
    this.#ended.abort();
  }

  /**
   * Reads until ledger and account agree, or `stop` is called. Resolves to true if they agree.
   * @throws the error of the first read
   */
  async pass(): Promise<boolean> {
    const { clock, waitMaxMs, onWaiting } = this.#options;
    const { signal } = this.#ended;
    const begun = clock.now();
    await this.#judge(begun);
    for (let waitMs = FIRST_WAIT_MS; this.#why !== null; waitMs *= 2) {
      onWaiting();
      if (!(await sleepUnless(signal, clock, Math.min(waitMs, waitMaxMs)))) return false;
      await this.#judge(begun).catch((error: unknown) => {
        this.#unread(error);
      });
    }
    return true;
  }

  async #judge(begun: EpochMs): Promise<void> {
    const { accountState, look, clock } = this.#options;
    this.#doubts = doubtsOf(accountState, await look());
    const isEarly = clock.now() - begun < PATIENCE_MS;
    const mayPass = this.#doubts.every(({ key, passing }) => key === LIST || (passing && isEarly));
    if (this.#doubts.length === 0) this.#confirmed();
    else this.#report(mayPass);
  }

  #confirmed(): void {
    this.#why = null;
    if (this.#reported.size > 0)
      this.#options.notify('clear', 'ledger and account agree: the run continues', { about: START });
  }

  /** Reports the doubts once, and again if there is a new one. */
  #report(mayPass: boolean): void {
    this.#why = `ledger and account do not agree since the start (${textOf(this.#doubts)})`;
    const keys = new Set(this.#doubts.map(({ key, passing }) => (mayPass && passing ? `${key}?` : key)));
    if ([...keys].every((key) => this.#reported.has(key))) return;
    this.#reported = keys;
    const text = textOf(this.#doubts);
    if (mayPass) this.#options.notify('info', `waits for what is under way before anything is sent: ${text}`);
    else
      this.#options.notify('alarm', `nothing is sent until ledger and account agree: ${text}. ${REMEDY}`, {
        code: 'START_UNCONFIRMED',
        about: START,
      });
  }

  #unread(error: unknown): void {
    if (!isVenueFault(error)) throw error;
    this.#options.notify('info', `the venue does not answer (${messageOf(error)}): asked again soon`);
  }
}

const textOf = (doubts: readonly StartDoubt[]): string => doubts.map(({ text }) => text).join('; ');
