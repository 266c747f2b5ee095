import type { Order } from '../../domain/orders/order.ts';
import { resumeCommand } from '../../domain/operator/tradingState.ts';

/** `info`: no action needed; `warning`: act soon; `critical`: money or protection is at stake now. */
export type Severity = 'info' | 'warning' | 'critical';

/** `command`: command line that helps, where SYMBOL and STRATEGY stand for the alarm's own; `without`: why there is none. */
type AlarmEntry = Readonly<{ severity: Severity } & ({ command: string } | { without: string })>;

const critical = (command: string) => ({ severity: 'critical', command }) as const;
const warning = (command: string) => ({ severity: 'warning', command }) as const;

const RESUME = 'drover resume --reason TEXT';

/** All alarms by code. Codes never change: scripts and rules of other systems rely on them. */
export const ALARMS = {
  ACTION_UNBOOKED: warning('drover reconcile'),
  ALLOWANCE_TOO_SMALL: warning('drover wallet approve TOKEN AMOUNT'),
  BARS_LATE: warning('drover doctor'),
  CALL_DENIED: critical('drover pause --reason TEXT'),
  CALENDAR_DOUBTED: warning('drover doctor'),
  CANCEL_REFUSED: warning('drover orders list'),
  CANCEL_SLOW: warning('drover orders list'),
  CLOCK_APART: warning('drover doctor'),
  CONTROL_UNREACHABLE: {
    severity: 'warning',
    without: 'no command reaches the run: the kill file stops it, and a restart makes the socket again',
  },
  CONTRACT_DIFFERS: critical('drover unfreeze SYMBOL --accept-terms --reason TEXT'),
  DIFFERENCE: critical('drover reconcile'),
  DOUBT_AT_LIMIT: critical(RESUME),
  DROPPED_FOR_AGE: warning('drover status'),
  DRAWDOWN: critical(RESUME),
  END_UNCONFIRMED: critical('drover reconcile'),
  EXIT_NOT_SOLD: critical('drover status'),
  EXIT_WITHOUT_STRATEGY: warning('drover cancel ORDER --reason TEXT'),
  EXTERNAL_ORDER: warning('drover orders accept TX --reason TEXT'),
  FEES_RISEN: warning('drover config fees'),
  FEES_TOO_HIGH: critical(RESUME),
  FROZEN: critical('drover unfreeze SYMBOL --reason TEXT'),
  GAS_TOO_DEAR: critical('drover doctor'),
  HALTED: warning(RESUME),
  JOURNAL_FAILS: critical('drover doctor'),
  KEY_REFUSED: critical('drover doctor'),
  FETCH_FAILS: { severity: 'warning', without: 'it is fetched again automatically: fix a wrong address' },
  KILL_FILE: critical(RESUME),
  KILL_FILE_ELSEWHERE: critical('drover halt --reason TEXT'),
  NOT_LISTED: critical('drover doctor'),
  NOTIFICATIONS_FAIL: warning('drover notify test'),
  ONE_CLICK_OFF: critical('drover oneclick enable'),
  ORDERS_LATE: { severity: 'warning', without: 'the strategy calls `order` after its hook: fix its file' },
  ORDERS_UNREADABLE: critical('drover doctor'),
  ORDER_CONTRADICTED: critical('drover orders list'),
  ORDER_DISPUTED: critical('drover orders list'),
  ORDER_FAILED: warning('drover doctor'),
  ORDER_UNKNOWN: critical('drover orders list'),
  ORDER_UNREADABLE: warning('drover orders list'),
  PRICE_JUMP: {
    severity: 'warning',
    without: 'it ends by itself once a second source shows the price, or the price lasts',
  },
  PROTECTION_REFUSED: critical('drover status'),
  REBALANCE_REFUSED: { severity: 'warning', without: 'the strategy must set `rest`: fix its file' },
  RUN_FAILED: critical('drover doctor'),
  SECRETS_EXPOSED: warning('drover doctor'),
  SERIES_UNREADABLE: {
    severity: 'warning',
    without: 'fix the file of the series: it is read again automatically',
  },
  SETTLEMENT_IMPOSSIBLE: critical('drover unfreeze SYMBOL --reason TEXT'),
  STALE: critical('drover doctor'),
  STALE_READS: warning('drover doctor'),
  START_UNCONFIRMED: critical('drover reconcile'),
  STOOD_STILL: { severity: 'warning', without: 'it ends by itself, once everything has been read again' },
  STRATEGY_LEFT: { severity: 'info', without: 'put the strategy back into the config, as the alarm says' },
  STRATEGY_STOPPED: critical('drover status'),
  TERMS_CHANGED: critical('drover status'),
  TIMERS_MISSED: { severity: 'warning', without: 'missed timers are not made up for' },
  TRANSFER_FAILED: warning('drover cash list'),
  TRANSFER_UNKNOWN: critical('drover cash list'),
  TREASURY_STOPPED: critical('drover status'),
  UNCLASSIFIED: { severity: 'warning', without: 'its text has everything that is known' },
  WALLET_DIFFERS: warning('drover reconcile'),
} as const satisfies Record<string, AlarmEntry>;

export type AlarmCode = keyof typeof ALARMS;

/** Classification of an alarm: its code and its subject. */
export type AlarmOf = Readonly<{
  code: AlarmCode;
  strategyId?: string | null | undefined;
  symbol?: string | undefined;
}>;

/** Classification of an alarm about an order. */
export const aboutOrder = (
  code: AlarmCode,
  { strategyId, terms: { symbol } }: Pick<Order, 'strategyId' | 'terms'>,
): AlarmOf => ({ code, strategyId, symbol });

/** Time in ms after which an unacknowledged alarm becomes one step more severe. */
const ESCALATES_MS = 3_600_000;

/** Severity of an alarm that has waited for the given ms. */
export function severityOf(code: AlarmCode, waitingMs: number): Severity {
  const { severity } = ALARMS[code];
  if (waitingMs < ESCALATES_MS) return severity;
  return severity === 'info' ? 'warning' : 'critical';
}

/** Command line that helps with an alarm; null if none does. */
export function commandOf(code: AlarmCode, symbol: string | null, strategyId: string | null): string | null {
  const entry: AlarmEntry = ALARMS[code];
  if (!('command' in entry)) return null;
  const scope = { strategyId: strategyId ?? undefined, symbol: symbol ?? undefined };
  return entry.command === RESUME
    ? resumeCommand(scope)
    : entry.command.replace('SYMBOL', symbol ?? 'SYMBOL').replace('STRATEGY', strategyId ?? 'STRATEGY');
}
