/** `info`: nobody has to act; `warning`: soon; `critical`: money or protection is at stake now. */
export type Severity = 'info' | 'warning' | 'critical';

/** `command`: command line that helps, with SYMBOL and STRATEGY for those of its subject; null where none does. */
type AlarmEntry = Readonly<{ severity: Severity; command: string | null }>;

const critical = (command: string | null = null) => ({ severity: 'critical', command }) as const;
const warning = (command: string | null = null) => ({ severity: 'warning', command }) as const;
const info = (command: string | null = null) => ({ severity: 'info', command }) as const;

/** Every alarm by its code, which never changes: what scripts and rules of other systems rely on. */
export const ALARMS = {
  ACTION_UNBOOKED: warning('drover reconcile'),
  ALLOWANCE_TOO_SMALL: warning('drover wallet approve'),
  BARS_LATE: warning(),
  CALL_DENIED: critical('drover status'),
  CALENDAR_DOUBTED: warning('drover doctor'),
  CANCEL_REFUSED: warning('drover status'),
  CANCEL_SLOW: warning('drover status'),
  CLOCK_APART: warning('drover doctor'),
  CONTROL_UNREACHABLE: warning(),
  CONTRACT_DIFFERS: critical('drover unfreeze SYMBOL --accept-terms --reason TEXT'),
  DIFFERENCE: critical('drover reconcile'),
  DOUBT_AT_LIMIT: critical('drover status'),
  DROPPED_FOR_AGE: warning('drover status'),
  DRAWDOWN: critical('drover resume --reason TEXT'),
  END_UNCONFIRMED: critical('drover reconcile'),
  EXIT_NOT_SOLD: critical('drover status'),
  EXIT_WITHOUT_STRATEGY: warning('drover status'),
  EXTERNAL_ORDER: warning('drover orders accept TX --reason TEXT'),
  FEES_RISEN: warning('drover config fees'),
  FEES_TOO_HIGH: critical('drover resume --reason TEXT'),
  FROZEN: critical('drover unfreeze SYMBOL --reason TEXT'),
  GAS_TOO_DEAR: critical('drover doctor'),
  HALTED: warning('drover resume --reason TEXT'),
  JOURNAL_FAILS: critical('drover doctor'),
  KEY_REFUSED: critical('drover doctor'),
  KILL_FILE: critical('drover resume --reason TEXT'),
  KILL_FILE_ELSEWHERE: critical('drover halt --reason TEXT'),
  NOT_LISTED: critical('drover doctor'),
  NOTIFICATIONS_FAIL: warning('drover notify test'),
  ONE_CLICK_OFF: critical('drover oneclick enable'),
  ORDERS_LATE: warning(),
  ORDERS_UNREADABLE: critical('drover status'),
  ORDER_CONTRADICTED: critical('drover status'),
  ORDER_DISPUTED: critical('drover status'),
  ORDER_FAILED: warning('drover status'),
  ORDER_UNKNOWN: critical('drover status'),
  ORDER_UNREADABLE: warning('drover status'),
  PRICE_JUMP: warning(),
  PROTECTION_REFUSED: critical('drover status'),
  REBALANCE_REFUSED: warning(),
  RUN_FAILED: critical(),
  SECRETS_EXPOSED: warning('drover doctor'),
  SERIES_UNREADABLE: warning(),
  SETTLEMENT_IMPOSSIBLE: critical('drover unfreeze SYMBOL --reason TEXT'),
  STALE: critical('drover doctor'),
  STALE_READS: warning('drover doctor'),
  START_UNCONFIRMED: critical('drover reconcile'),
  STOOD_STILL: warning(),
  STRATEGY_LEFT: info(),
  STRATEGY_STOPPED: critical('drover status'),
  TERMS_CHANGED: critical('drover status'),
  TIMERS_MISSED: warning(),
  TRANSFER_FAILED: warning('drover status'),
  TRANSFER_UNKNOWN: critical('drover status'),
  TREASURY_STOPPED: critical('drover status'),
  UNCLASSIFIED: warning(),
  WALLET_DIFFERS: warning('drover reconcile'),
} as const satisfies Record<string, AlarmEntry>;

export type AlarmCode = keyof typeof ALARMS;

/** Classification of an alarm: its code, and what it is about. */
export type AlarmOf = Readonly<{
  code: AlarmCode;
  strategyId?: string | null | undefined;
  symbol?: string | undefined;
}>;

/** Time in ms after which an alarm that nobody has acknowledged counts as one step more severe. */
const ESCALATES_MS = 3_600_000;

/** Severity of an alarm of an age in ms. */
export function severityOf(code: AlarmCode, waitingMs: number): Severity {
  const { severity } = ALARMS[code];
  if (waitingMs < ESCALATES_MS) return severity;
  return severity === 'info' ? 'warning' : 'critical';
}

/** Command line that helps with an alarm; null where none does. */
export function commandOf(code: AlarmCode, symbol: string | null, strategyId: string | null): string | null {
  const { command } = ALARMS[code];
  if (command === null) return null;
  return command.replace('SYMBOL', symbol ?? 'SYMBOL').replace('STRATEGY', strategyId ?? 'STRATEGY');
}
