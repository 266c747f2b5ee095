import { newYorkClock, newYorkDate } from '../../calendar/index.ts';
import { epochMs } from '../../core/brand.ts';
import { parseDecimal } from '../../core/amount.ts';
import { moneyText, signedMoney } from '../../domain/amountText.ts';
import type { Status } from '../model/status.ts';

/** Most strategies and alarms that a chat shows. */
const LINES_MAX = 8;

const nowText = (iso: string): string => {
  const now = epochMs(Date.parse(iso));
  return `${newYorkDate(now)} ${newYorkClock(now)}`;
};

const wadOf = (text: string): bigint => parseDecimal(text, { signed: true });
const money = (text: string): string => moneyText(wadOf(text));
const profit = (text: string): string => signedMoney(wadOf(text));

/** The state of a run in a few lines, for a chat. Amounts in cents. */
export function chatStatus(status: Status): string {
  const { mode, state, ready, session, equity, cash, pnl, strategies, orders, waiting, unknown } = status;
  const alarms = status.alarms.filter(({ acknowledged }) => !acknowledged);
  const reason = state.reason === '' ? '' : ` (${state.reason})`;
  return [
    `${mode}: trading ${state.trading}${reason}, ${ready ? 'ready' : 'NOT ready'}`,
    `${session.date === null ? 'no session' : `session ${session.date}`}, ${session.phase}; it is ${nowText(status.now)} in New York`,
    `equity ${money(equity)} mUSD, cash ${money(cash)}, today ${profit(pnl.today)}${status.unallocated.positions.length > 0 ? ' of the strategies' : ''}`,
    ...strategies
      .slice(0, LINES_MAX)
      .map(
        (each) => `${each.id}: ${each.state}, equity ${money(each.equity)}, today ${profit(each.pnl.today)}`,
      ),
    `open orders ${orders.length}, waiting ${waiting.length}, held ${status.heldOrders.length}, without an answer ${unknown}`,
    ...(status.differences.length > 0 ? [`differences ${status.differences.length}`] : []),
    ...alarms.slice(0, LINES_MAX).map(({ id, text }) => `alarm ${id}: ${text}`),
  ].join('\n');
}
