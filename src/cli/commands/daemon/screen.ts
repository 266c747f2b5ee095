import { shortAmounts } from '../../../domain/shortAmounts.ts';
import type { Status } from '../../../ops/model/status.ts';
import { heldOrdersSection } from './heldOrders.ts';
import {
  between,
  clipped,
  clockText,
  earned,
  line,
  money,
  price,
  shares,
  sidesOf,
  spanText,
  tableOf,
  whenText,
  wrapped,
  type Line,
  type Tone,
} from './screenText.ts';
import { columns } from '../../../process/output.ts';

/** Minimum width of the screen, in characters. */
const WIDTH_MIN = 40;

/**
 * The screen of `drover status` for a width in characters. Lines that cannot be wrapped, such as table rows, may be
 * longer; `cutLine` cuts them.
 */
export function screenOf(status: Status, width: number): Line[] {
  const wide = Math.max(width, WIDTH_MIN);
  const sections = [
    headOf(status, wide),
    moneyOf(status),
    positionsOf(status),
    ordersOf(status),
    waitingOf(status),
    heldOrdersSection(status, wide),
    todoOf(status, wide),
    limitsOf(status, wide),
    timersOf(status),
    alarmsOf(status, wide),
  ].filter((section) => section.length > 0);
  return sections.flatMap((section, index) => (index === 0 ? section : [line(''), ...section]));
}

/** A line of the screen, cut to the width unless that is too narrow for any line. */
export const cutLine = ({ text, tone }: Line, width: number): Line =>
  line(clipped(text, Math.max(width, WIDTH_MIN)), tone);

const TONES: Readonly<Record<string, Tone>> = { active: 'good', reducing: 'warning', halted: 'bad' };
const toneOf = (state: string): Tone => TONES[state] ?? 'plain';

/** Width of the labels at the start of the head lines. */
const LABEL = 9;

function labelled(label: string, { text, tone }: Line, width: number): Line[] {
  return wrapped(text, width - LABEL).map((one, index) =>
    line((index === 0 ? label : '').padEnd(LABEL) + one, tone),
  );
}

/** Differences too small to stop anything. */
const dustTexts = ({ dust = [] }: Status): string[] =>
  dust.map(
    ({ asset, amount, moved, looks, bound }) =>
      `${asset}: ${fineText(amount)} between ledger and venue; ${looks} changes today, ${fineText(moved)} in all, limit ${fineText(bound)}`,
  );

/** Amount smaller than a cent or any order, shown in steps of shares for every asset. */
const fineText = (text: string): string =>
  text.startsWith('-') ? `-${shares(text.slice(1))}` : shares(text);

function headOf(status: Status, width: number): Line[] {
  const { mode, account, version, startedAt, now, running, killFiles } = status;
  const run = `${mode}, ${account}, drover ${version}, since ${whenText(startedAt)}`;
  const seen = `${whenText(now)} in New York; read ${freshText(status)}`;
  return [
    ...labelled('state', stateOf(status), width),
    ...abilitiesOf(status).flatMap((one) => labelled('', one, width)),
    ...restrictionsOf(status).flatMap((one) => labelled('', one, width)),
    ...status.strategies.flatMap(({ hints = [] }) =>
      hints.flatMap((text) => labelled('hint', line(shortAmounts(text), 'warning'), width)),
    ),
    ...status.strategies.flatMap(({ id, restarted }) =>
      restarted
        ? labelled('restart', line(`${id}, ${whenText(restarted.at)}: ${restarted.why}`, 'warning'), width)
        : [],
    ),
    ...dustTexts(status).flatMap((text) => labelled('dust', line(text), width)),
    ...(running ? labelled('session', line(sessionText(status)), width) : []),
    ...(status.premiums ?? []).flatMap(({ text }) => labelled('premium', line(shortAmounts(text)), width)),
    ...labelled('run', line(run), width),
    ...killFiles.flatMap((file) => labelled('kill', line(`touch ${file} stops orders at once`), width)),
    ...(running ? labelled('now', line(seen), width) : []),
  ];
}

function stateOf({ running, ready, state, lastEnd, canSend, canProtect }: Status): Line {
  const trading = `${state.trading.toUpperCase()} ${sinceText(state)}`;
  if (!running) {
    const end = lastEnd
      ? ` since ${whenText(lastEnd.at)}: ${lastEnd.text}`
      : ', and the last run recorded no end';
    return line(`NOT RUNNING${end}; ${trading}`, 'warning');
  }
  const rest = canSend.ok && canProtect.ok ? ': nothing is placed until the venue agrees' : '';
  if (!ready) return line(`NOT READY${rest}; ${trading}`, 'warning');
  return line(trading, toneOf(state.trading));
}

/** Things that a run cannot do at the moment. Without a run the state already says so. */
const abilitiesOf = ({ running, canSend, canProtect }: Status): Line[] =>
  running
    ? [
        ...canSend.why.map((why) => line(shortAmounts(`cannot send: ${why}`), 'bad')),
        ...canProtect.why.map(({ strategy, symbol, why }) =>
          line(shortAmounts(`cannot protect ${symbol} of ${strategy}: ${why}`), 'bad'),
        ),
      ]
    : [];

/** Restrictions that the state of the run does not show. */
const restrictionsOf = ({ restrictions, state }: Status): Line[] =>
  restrictions
    .filter(({ since, strategy, symbol }) => strategy !== null || symbol !== null || since !== state.since)
    .map((one) => {
      const cause = one.cause === 'operator' ? '' : ` (${one.cause})`;
      return line(`${scopeText(one)}: ${one.state}${cause} ${sinceText(one)}`, toneOf(one.state));
    });

function sinceText({ since, by, reason }: Readonly<{ since: string; by: string; reason: string }>): string {
  return `since ${whenText(since)}${by === '' ? '' : ` by ${by}`}${reason === '' ? '' : `: ${shortAmounts(reason)}`}`;
}

function scopeText({ strategy, symbol }: Status['restrictions'][number]): string {
  if (strategy === null) return symbol ?? 'everything';
  return symbol === null ? strategy : `${symbol} of ${strategy}`;
}

function sessionText({ session, now }: Status): string {
  const { phase, date, open, close, trades, until = now } = session;
  const day = date === null ? '' : ` ${date}`;
  if (trades && trades.length > 0)
    return `${phase}${day}; trades ${trades.join(', ')} until ${clockText(until, now)}`;
  if (open !== null && between(now, open) > 0)
    return `${phase}; opens ${clockText(open, now)} in ${spanText(between(now, open))}`;
  if (close !== null && between(now, close) > 0)
    return `${phase}${day}; closes ${clockText(close, now)} in ${spanText(between(now, close))}`;
  return close === null ? phase : `${phase}; closed ${clockText(close, now)}`;
}

function freshText({ freshness: { quotesMs, ordersMs, accountMs } }: Status): string {
  const parts = [
    ['quotes', quotesMs],
    ['orders', ordersMs],
    ['account', accountMs],
  ] as const;
  return parts
    .map(([name, ms]) => (ms === null ? `${name} not yet` : `${name} ${spanText(ms)} ago`))
    .join(', ');
}

const NO_STRATEGY = 'unallocated';

function moneyOf({ strategies, unallocated, equity, cash, pnl }: Status): Line[] {
  const rows = [
    ...strategies.map((one) => [
      one.id + stoppedText(one),
      money(one.cash),
      money(one.equity),
      earned(one.pnl.today),
      earned(one.pnl.total),
      money(one.pnl.fees),
    ]),
    [
      NO_STRATEGY,
      money(unallocated.cash),
      money(unallocated.equity),
      earned(unallocated.pnl.today),
      earned(unallocated.pnl.total),
      money(unallocated.pnl.fees),
    ],
    [
      'total',
      money(cash),
      money(equity),
      earned(todayOf(pnl, unallocated)),
      earned(pnl.total),
      money(pnl.fees),
    ],
  ];
  const head = ['mUSD', 'cash', 'equity', 'today', 'in all', 'fees'];
  return tableOf({ head, rows, sides: sidesOf(head, 1) }, strategies.map(toneOfStrategy));
}

/** Day's profit of the whole account; null while stock is unallocated, because its value at the start of the day is not known. */
const todayOf = (pnl: Status['pnl'], { positions }: Status['unallocated']): string | null =>
  positions.length === 0 ? pnl.today : null;

type OfStrategy = Status['strategies'][number];
function stoppedText({ state, stopped, warmUp }: OfStrategy): string {
  if (stopped !== null) return ' (stopped)';
  const waits = warmUp ? ` (${['waits for its warm-up', ...warmUp.series.map(gapText)].join(', ')})` : '';
  return state === 'active' ? waits : ` (${state})${waits}`;
}

/** `X 1d 12/30`. */
const gapText = ({ symbol, interval, had, needed }: NonNullable<OfStrategy['warmUp']>['series'][number]) =>
  `${symbol} ${interval} ${had}/${needed}`;
const toneOfStrategy = ({ state, stopped }: OfStrategy): Tone =>
  stopped !== null ? 'bad' : state === 'active' ? 'plain' : toneOf(state);

function positionsOf({ strategies, unallocated }: Status): Line[] {
  const rows = [...strategies, { ...unallocated, id: NO_STRATEGY }].flatMap(({ id, positions }) =>
    positions.map((one) => [
      one.symbol,
      id,
      shares(one.shares),
      price(one.averagePrice),
      price(one.price),
      money(one.value),
      earned(one.unrealised),
    ]),
  );
  if (rows.length === 0) return [line('no positions', 'quiet')];
  const head = ['position', 'of', 'shares', 'average', 'price', 'value', 'unrealised'];
  return tableOf({ head, rows, sides: sidesOf(head, 2) });
}

function ordersOf({ orders, unknown }: Status): Line[] {
  if (orders.length === 0 && unknown === 0) return [line('no open orders', 'quiet')];
  const rows = orders.map((one) => [
    one.id,
    one.status,
    spanText(one.ageMs),
    shortAmounts(one.text),
    shortAmounts(one.reason),
  ]);
  const tones = orders.map(({ status }): Tone => (status === 'unknown' ? 'bad' : 'plain'));
  const head = [`open orders: ${orders.length}`, 'status', 'age', '', 'reason'];
  return [
    ...tableOf({ head, rows, sides: sidesOf(head) }, tones),
    ...(unknown === 0 ? [] : [line(`unknown: ${unknown}, the venue may or may not have them`, 'bad')]),
  ];
}

/** Intents that have not become orders yet, for example before the next open. */
function waitingOf({ waiting, now }: Status): Line[] {
  if (waiting.length === 0) return [];
  const rows = waiting.map(({ id, text, notBefore }) => {
    const isDue = between(now, notBefore) <= 0;
    return [id, shortAmounts(text), isDue ? '' : `not before ${clockText(notBefore, now)}`];
  });
  const head = [`waiting: ${waiting.length}`, '', ''];
  return tableOf({ head, rows, sides: sidesOf(head) });
}

/** Everything that needs a person. Frozen assets and differences that no item covers are shown as well. */
function todoOf({ todo, frozen, differences }: Status, width: number): Line[] {
  const isSaid = (text: string) => todo.some((one) => one.text.includes(text));
  const items = [
    ...todo,
    ...frozen
      .filter(({ symbol }) => !isSaid(symbol))
      .map(({ symbol, why }) => ({
        text: `${symbol} is frozen: ${why}`,
        command: `drover unfreeze ${symbol} --reason TEXT`,
      })),
    ...differences
      .filter(({ asset }) => !isSaid(asset))
      .map(({ text }) => ({ text, command: 'drover reconcile' })),
  ];
  if (items.length === 0) return [];
  return [
    line('to do', 'head'),
    ...items.flatMap(({ text, command }) => [
      ...wrapped(`! ${shortAmounts(text)}`, width, '  ').map((one) => line(one, 'bad')),
      ...(command === null ? [] : commandLines(command, width)),
    ]),
  ];
}

/** A command to copy; if it is too long for a line, the lines end with the shell's continuation mark. */
function commandLines(command: string, width: number): Line[] {
  const parts = wrapped(command, width - COMMAND_INDENT.length - SHELL_GOES_ON.length, '  ');
  return parts.map((part, index) =>
    line(COMMAND_INDENT + part + (index === parts.length - 1 ? '' : SHELL_GOES_ON)),
  );
}

const COMMAND_INDENT = '    ';
const SHELL_GOES_ON = ' \\';

/** Number of characters in a full bar. */
const BAR = 10;
/** Share of a limit from which a warning is shown. */
const NEAR = 0.8;

/** Limits, each with a bar for its use if there is room for bars. */
function limitsOf({ limits, configUnknown }: Status, width: number): Line[] {
  if (configUnknown)
    return labelled(
      'limits',
      line('not in the journal: name the config of the run with --config FILE', 'quiet'),
      width,
    );
  if (limits.length === 0) return [];
  const rows = limits.map(({ name, scope, used, limit }) => {
    const part = used === null ? null : partOf(used, limit);
    return { part, cells: [name, scope, ...usedCells({ used, limit, part })] };
  });
  const head = ['limit', 'of', 'used', '', '', ''];
  const sides = ['left', 'left', 'left', 'right', 'right', 'left'] as const;
  const tones = rows.map(({ part }): Tone =>
    part === null || part < NEAR ? 'plain' : part < 1 ? 'warning' : 'bad',
  );
  const table = [head, ...rows.map(({ cells }) => cells)];
  const full = columns(table, sides);
  const texts = full.every(({ length }) => length <= width)
    ? full
    : columns(
        table.map(withoutBar),
        sides.filter((_side, index) => index !== BAR_AT),
      );
  return texts.map((text, index) => line(text, index === 0 ? 'head' : (tones[index - 1] ?? 'plain')));
}

/** Column with the bars of limits. */
const BAR_AT = 2;

/** A row of limits without its bar; the head of the bars moves to the next column. */
const withoutBar = ([name = '', of = '', bar = '', part = '', ...rest]: readonly string[]): string[] => [
  name,
  of,
  part === '' && !bar.startsWith('[') ? bar : part,
  ...rest,
];

type Use = Readonly<{ used: string | null; limit: string; part: number | null }>;

function usedCells({ used, limit, part }: Use): string[] {
  if (used === null || part === null) return ['', '', '', `at most ${count(limit)}`];
  const full = Math.round(Math.min(Math.max(part, 0), 1) * BAR);
  const bar = `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}]`;
  return [bar, `${Math.round(part * 100)} %`, count(used), `of ${count(limit)}`];
}

/** Share of a limit that is used; 1 for a limit of 0. */
const partOf = (used: string, limit: string): number =>
  Number(limit) > 0 ? Number(used) / Number(limit) : Number(used) > 0 ? 1 : 0;

/** A whole number unchanged, an amount of money in cents. */
const count = (text: string): string => (/^\d+$/.test(text) ? text : money(text));

function timersOf({ strategies, now }: Status): Line[] {
  const timers = strategies.flatMap(({ id, nextTimer, nextDecision }) => {
    const { on, at } = nextDecision ?? { on: nextTimer?.name ?? '', at: nextTimer?.at ?? null };
    return on === '' ? [] : [{ id, on, at }];
  });
  if (timers.length === 0) return [];
  const rows = timers
    .sort((a, b) => Date.parse(a.at ?? now) - Date.parse(b.at ?? now))
    .map(({ id, on, at }) =>
      at === null ? [id, on] : [id, on, clockText(at, now), `in ${spanText(between(now, at))}`],
    );
  const head = ['next', '', '', ''];
  return tableOf({ head, rows, sides: sidesOf(head) });
}

function alarmsOf({ alarms, now }: Status, width: number): Line[] {
  const open = alarms.filter(({ acknowledged }) => !acknowledged);
  if (open.length === 0) return [];
  return [
    line(`alarms: ${open.length}; \`drover ack\` marks them as seen`, 'head'),
    ...open.flatMap(({ id, at, text }) =>
      wrapped(`${id}  ${clockText(at, now)}  ${shortAmounts(text)}`, width, '    ').map((one) =>
        line(one, 'warning'),
      ),
    ),
  ];
}
