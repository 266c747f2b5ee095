import type { EpochMs } from '../../core/brand.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { describeExternal, type External } from '../../domain/orders/reportMatching.ts';
import { Refused } from './decision.ts';

/** Longest time in ms by which the venue's clock may be behind that of the journal. */
const CLOCKS_APART_MS = 60_000;

/** Moment of a backup (time of its last entry), and whether a run on it has yet to confirm its start. */
type RestoredState = Readonly<{ isStarting: boolean; since: EpochMs }>;

/**
 * Refuses to lift the halt of a restored journal before a start has read the venue's orders back to the moment of the backup and
 * each that the journal does not know was accepted, and while what waits in the journal may be one of these orders: sent after
 * the backup, it would be sent again.
 * @throws {Refused}
 */
export function refuseRestored(accountState: AccountState, { isStarting, since }: RestoredState): void {
  const { externals } = accountState;
  const unaccepted = [...externals.unaccepted.values()];
  if (unaccepted.length > 0)
    throw refused(
      `orders at the venue are not in it:${lines(unaccepted.map((one) => `order ${describeExternal(one)}`))}\n` +
        'Accept each that is yours: `drover orders accept TX --reason TEXT`',
    );
  if (isStarting)
    throw refused(
      'no run has read the orders since that backup. Start `drover run`, and resume beside it once it says that ledger and account agree',
    );
  const repeats = repeatsOf(accountState, since);
  if (repeats.length > 0)
    throw refused(
      `what waits in it may have been sent after the backup, and would be sent again:${lines(repeats)}\n` +
        'Cancel each, and place again what you still want',
    );
}

/** Waiting intents and held orders on stocks for which the venue has an order that was sent after the backup, a line each. */
function repeatsOf({ externals, intents, synthetics }: AccountState, since: EpochMs): string[] {
  const sent = [...externals.all.values()].filter(
    ({ report }) => report === null || report.createdAt >= since - CLOCKS_APART_MS,
  );
  const waiting = [...intents.values(), ...[...synthetics.live.values()].map(({ order }) => order)];
  return waiting.flatMap(({ id, symbol }) => {
    const order = sent.find((one) => isOn(one, symbol));
    return order ? [`${id} on ${symbol}, as order ${describeExternal(order)}: \`drover cancel ${id}\``] : [];
  });
}

/** True for an order on this stock, and for one of which the stock is not known. */
const isOn = ({ report }: External, symbol: string): boolean => (report?.terms?.symbol ?? symbol) === symbol;

const lines = (texts: readonly string[]): string => texts.map((text) => `\n  ${text}`).join('');

const refused = (why: string): Refused =>
  new Refused('safety', `not released: this journal was restored from a backup, and ${why}`);
