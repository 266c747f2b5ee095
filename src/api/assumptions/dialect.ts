import { SECOND_MS } from '../../core/brand.ts';
import { isTree } from '../../core/nesting.ts';
import * as to from './translate.ts';
import { labelOf, type Route, type RequestParts } from '../endpoint.ts';
import type { Assumptions, Renaming } from './assumptions.ts';
import { PROOFS } from './names.ts';
import type { Translate } from './translate.ts';

/** Translates between the names of one venue and those of this program. */
export type Dialect = Readonly<{
  /** Translates a part of a request into the venue's names. */
  ask<T>(route: Route, part: keyof RequestParts, value: T): T;
  /** The `data` of a response under this program's names. Data of another shape is returned unchanged. */
  read(route: Route, data: unknown): unknown;
}>;

type RequestTranslations = Readonly<Partial<Record<keyof RequestParts, Translate>>>;

/** The dialect for these assumptions, computed once. */
export function dialectOf(assumptions: Assumptions): Dialect {
  const asking = askingBy(assumptions);
  const reading = readingBy(assumptions);
  return {
    ask: <T>(route: Route, part: keyof RequestParts, value: T) =>
      (asking.get(labelOf(route))?.[part]?.(value) ?? value) as T,
    read: (route, data) => reading.get(labelOf(route))?.(data) ?? data,
  };
}

const V1 = '/api/v1';
const MOVES = [`${V1}/stock/deposits`, `${V1}/stock/withdrawals`];

function askingBy({ fields, orderIdForm }: Assumptions): ReadonlyMap<string, RequestTranslations> {
  const body = (labels: readonly string[], names: Renaming) =>
    labels.map((label): [string, RequestTranslations] => [label, { body: to.toTheirs(names) }]);
  const order = { path: to.fieldsOf({ orderId: orderIdIn(orderIdForm) }) };
  const linked = ['orders', 'cash/deposits', 'cash/withdrawals', 'stock/deposits', 'stock/withdrawals'];
  return new Map([
    ...body(
      linked.map((each) => `POST ${V1}/${each}/tx`),
      fields.recordTx,
    ),
    ...body(
      ['send', 'calldata'].map((end) => `POST ${V1}/orders/with-deposit/${end}`),
      fields.depositOrder,
    ),
    ...body([`POST ${V1}/cash/withdrawals/send`], fields.cashWithdrawal),
    ...body(
      MOVES.flatMap((path) => [`POST ${path}/send`, `POST ${path}/calldata`]),
      fields.stockMove,
    ),
    ...body(
      ['send', 'calldata'].map((end) => `POST ${V1}/deferred-sell/repay/${end}`),
      fields.repayment,
    ),
    [`GET ${V1}/corporate-action`, { query: to.toTheirs(fields.actionQuery) }],
    [`GET ${V1}/orders/{orderId}`, order],
    [`DELETE ${V1}/orders/{orderId}/calldata`, order],
    [`DELETE ${V1}/orders/{orderId}/send`, order],
  ]);
}

function readingBy(assumptions: Assumptions): ReadonlyMap<string, Translate> {
  const { fields, words } = assumptions;
  const action = to.inTurn(
    to.toOurs(fields.corporateAction),
    to.fieldsOf({ type: to.wordToOurs(words.actionType) }),
  );
  const order = orderBy(assumptions);
  const stock = to.inTurn(
    to.toOurs(fields.stockDetail),
    transferBy(assumptions, { field: 'stockOperation', names: fields.stockOperation }),
  );
  const changed = to.toOurs(fields.delegationChanged);
  const sends = ['orders', 'orders/with-deposit', 'deferred-sell/repay', 'cash/deposits', 'cash/withdrawals'];
  const sent = [...sends, 'stock/deposits', 'stock/withdrawals'].map((path) => `POST ${V1}/${path}/send`);
  return new Map<string, Translate>([
    [`GET ${V1}/orders`, to.rowsOf(order)],
    [`GET ${V1}/orders/{orderId}`, order],
    [`GET ${V1}/orders/tx/{txHash}`, order],
    ...transfer(`${V1}/cash/deposits`, transferBy(assumptions, { field: 'depositOperation', names: {} })),
    ...transfer(
      `${V1}/cash/withdrawals`,
      transferBy(assumptions, { field: 'withdrawalOperation', names: fields.withdrawalOperation }),
    ),
    ...MOVES.flatMap((path) => transfer(path, stock)),
    [`GET ${V1}/deferred-sell/debts`, to.eachOf(to.toOurs(fields.debt))],
    [`GET ${V1}/config`, configBy(assumptions)],
    [`GET ${V1}/prices/{symbol}`, to.fieldsOf({ onChain: to.toOurs(fields.onChain) })],
    [`GET ${V1}/corporate-action`, to.eachOf(action)],
    [`POST ${V1}/1ct/enable`, changed],
    [`POST ${V1}/1ct/disable`, changed],
    ...[...sent, `DELETE ${V1}/orders/{orderId}/send`].map((label): [string, Translate] => [
      label,
      to.toOurs(fields.sent),
    ]),
  ]);
}

const transfer = (path: string, translate: Translate): [string, Translate][] => [
  [`GET ${path}`, to.rowsOf(translate)],
  [`GET ${path}/{operationId}`, translate],
];

/** Status for a word that is in no table, or not accepted as proof of an end. */
const unproven = (word: string): string => `${word} (not believed)`;

const believing =
  (known: readonly string[], believed: ReadonlySet<string>): Translate =>
  (word) =>
    typeof word === 'string' && known.includes(word) && !believed.has(word) ? unproven(word) : word;

function timeIn(unit: Assumptions['units']['createTime']): Translate {
  if (unit === 'iso') return (told) => (typeof told === 'string' ? secondsOf(Date.parse(told)) : told);
  return unit === 'ms' ? (told) => (typeof told === 'number' ? secondsOf(told) : told) : (told) => told;
}

/** Parsed time in seconds; null ("unknown") for text that is not a time. */
const secondsOf = (ms: number): number | null => (Number.isNaN(ms) ? null : ms / SECOND_MS);

/** `ends`: status words accepted as proof that the link's object ended. */
const linkBy = ({ fields, words, units }: Assumptions, status: Translate): Translate =>
  to.inTurn(
    to.toOurs(fields.link),
    to.fieldsOf({
      operationType: to.wordToOurs(words.operationType),
      createTime: timeIn(units.createTime),
      status,
    }),
  );

/** Translates a row: a detail, a link with or without its order, or just an order. */
function orderBy(assumptions: Assumptions): Translate {
  const status = believing(PROOFS.orderEnds.words, assumptions.orderEnds);
  const link = linkBy(assumptions, status);
  const order = to.fieldsOf({ status });
  const detail = to.inTurn(
    to.toOurs(assumptions.fields.orderDetail),
    to.fieldsOf({ mapping: link, historyOrder: order, mappingStatus: status, orderStatus: status }),
  );
  return (raw) => {
    const row = detail(raw);
    if (!isTree(row) || 'mapping' in row || 'mappingStatus' in row || 'orderStatus' in row) return row;
    return 'side' in row ? order(row) : link(row);
  };
}

/** The field of a transfer row that holds the amount moved, and the names inside it. */
type MovedField = Readonly<{ field: string; names: Renaming }>;

/** Translates a row: a detail, a link with or without its transfer, or just the transfer. */
function transferBy(assumptions: Assumptions, { field, names }: MovedField): Translate {
  const status = believing(PROOFS.transferEnds.words, assumptions.transferEnds);
  const link = linkBy(assumptions, status);
  const moved = to.inTurn(to.toOurs(names), to.fieldsOf({ status }));
  const inner = { mapping: link, mappingStatus: status, operationStatus: status };
  const detail = to.fieldsOf({ [field]: moved, ...inner });
  const ofMoved = ['tokenAddress', 'amount'].map((name) => names[name] ?? name);
  return (raw) => {
    const row = detail(raw);
    if (!isTree(row) || 'mapping' in row || 'mappingStatus' in row || 'operationStatus' in row) return row;
    return !(field in row) && ofMoved.some((name) => name in row) ? moved(row) : link(row);
  };
}

const configBy = ({ fields }: Assumptions): Translate =>
  to.fieldsOf({
    cashierBuffer: to.toOurs(fields.cashierBuffer),
    exchangeFeeConfig: to.toOurs(fields.exchangeFees),
    cashierTokenConfig: to.eachOf(to.toOurs(fields.cashToken)),
  });

const DIGITS = /^(?:0x)?([0-9a-fA-F]{64})$/;

function orderIdIn(form: Assumptions['orderIdForm']): Translate {
  if (form === 'as-listed') return (id) => id;
  const before = form === 'with-0x' ? '0x' : '';
  return (id) => {
    const digits = typeof id === 'string' ? DIGITS.exec(id)?.[1] : undefined;
    return digits === undefined ? id : `${before}${digits}`;
  };
}
