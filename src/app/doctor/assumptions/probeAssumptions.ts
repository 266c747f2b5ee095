import * as endpoints from '../../../api/endpoints/index.ts';
import * as forms from './fields.ts';
import { isTree, type Tree, isUnreadable } from '../../../core/nesting.ts';
import type { VenueClient } from '../../../api/client.ts';
import type { TradingCalendar } from '../../../calendar/index.ts';
import { epochSeconds, toSeconds, type EpochMs } from '../../../core/brand.ts';
import { wadFromNumber } from '../../../core/amount.ts';
import { atVenueFault } from '../../../core/errors.ts';
import { isTicker, ticker, type Address } from '../../../domain/instrument.ts';
import { ROUTER_FUNCTION_NAMES } from '../../../wallet/router.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { VenueConfig } from '../../config/schema.ts';
import { answerTo, dataOf, type EndpointReply } from '../answers.ts';
import { type Finding, findingOf, unchecked, type AssumptionResult } from '../finding.ts';
import { mayWrite } from '../online.ts';
import { checkBars, checkFields, rowsIn, samplesOf } from './fields.ts';
import { trialsOf, type Subject, checkFunctions } from './calldata.ts';
import { checkDayEnds, checkTokens, unseenHours } from './dayEnds.ts';
import { checkRefusals, checkOrderEnds, checkTransferEnds, checkWords } from './refusals.ts';

export type AssumptionProbe = Readonly<{
  client: VenueClient;
  venue: VenueConfig;
  mode: LoadedConfig['config']['mode'];
  calendar: TradingCalendar;
  now: EpochMs;
}>;

/**
 * Checks everything that the venue's documentation leaves open against the venue: by reads, and in live mode by
 * requests for calldata that is never signed. No money moves, and nothing is stored at the venue.
 */
export async function probeAssumptions(
  reads: readonly EndpointReply[],
  probe: AssumptionProbe,
): Promise<readonly Finding[]> {
  const { client, now } = probe;
  const { assumptions } = client;
  const seen = await seenIn(reads, client);
  const { samples, orders, links } = seen;
  const { operationType = '' } = assumptions.fields.link;
  const { type = '' } = assumptions.fields.corporateAction;
  const checked: AssumptionResult[] = [
    ...checkFields(assumptions, samples),
    await forms.checkActionQuery(samples.corporateAction ?? [], client),
    checkWords('operationType', assumptions, { objects: links, name: operationType, none: NO_LINK }),
    checkWords('actionType', assumptions, {
      objects: samples.corporateAction ?? [],
      name: type,
      none: 'no corporate action is announced',
    }),
    forms.checkEnvelopeTime(reads, { client, now }),
    forms.checkLinkTime(links, client),
    await forms.checkOrderId(seen.orderId, client),
    await forms.checkNotFound(client),
    checkOrderEnds(assumptions, orders),
    checkTransferEnds(assumptions, samples),
    ...(await writable(reads, probe, seen.openOrder)),
    forms.checkPageRows(reads),
    await checkDayEnds(client, probe),
    ...unseenHours(),
    ...(await ofStock(reads, probe)),
  ];
  return checked.map(findingOf);
}

const NO_LINK = 'the key has no order and no transfer yet';

/** Collects the orders and transfers in the responses, under the venue's names. */
async function seenIn(reads: readonly EndpointReply[], client: VenueClient) {
  const { assumptions } = client;
  const { openOrder = '' } = assumptions.fields.orderDetail;
  const rows = rowsIn(dataOf(reads, endpoints.orders.path));
  const indexed = rows.filter((row) => orderIdIn([row]) !== null);
  const txHash = idIn(indexed.length > 0 ? indexed : rows, /tx.?hash|hash/i, /^0x[0-9a-fA-F]{64}$/);
  const moves = [endpoints.stockDeposits, endpoints.stockWithdrawals].flatMap(({ path }) =>
    rowsIn(dataOf(reads, path)).map((row) => ({ path, row })),
  );
  const [move] = moves;
  const operationId = move && idIn([move.row], /operation.?id/i, /^[\w.-]{1,100}$/);
  const order = txHash === null ? null : await answerTo(client, `/api/v1/orders/tx/${txHash}`);
  const stock = move && operationId ? await answerTo(client, `${move.path}/${operationId}`) : null;
  const details = { order: order?.envelope?.data ?? null, stock: stock?.envelope?.data ?? null };
  const samples = samplesOf(reads, assumptions, details);
  const open = rows.find((row) => isTree(row[openOrder]) && row[openOrder]['type'] === 'Limit');
  return {
    samples,
    orderId: orderIdIn(rows),
    orders: [...rows, ...rowsIn(details.order)],
    links: samples.link ?? [],
    openOrder: open ? orderIdIn([open]) : null,
  };
}

const orderIdIn = (rows: readonly Tree[]): string | null =>
  idIn(rows, /order.?id/i, /^(0x)?[0-9a-fA-F]{64}$/);

/** The first text of this form under a matching key, at most one object deep. */
function idIn(rows: readonly Tree[], key: RegExp, form: RegExp): string | null {
  for (const row of rows) {
    const parts = [row, ...Object.values(row).filter(isTree)];
    for (const [name, value] of parts.flatMap((part) => Object.entries(part)))
      if (key.test(name) && typeof value === 'string' && form.test(value)) return value;
  }
  return null;
}

/** Checks that need a key with write permission. */
async function writable(
  reads: readonly EndpointReply[],
  { client, venue, mode, now }: AssumptionProbe,
  openOrder: string | null,
): Promise<readonly AssumptionResult[]> {
  const entries = [
    'proof.refusals',
    ...ROUTER_FUNCTION_NAMES.map((name) => `functions.${name}`),
    'fields.depositOrder',
    'fields.stockMove',
    'fields.repayment',
  ];
  if (mode !== 'live')
    return entries.map((entry) => unchecked(entry, `mode ${mode} only reads: use the config of live`));
  if (!(await mayWrite(client)))
    return entries.map((entry) =>
      unchecked(entry, 'the key may only read, and calldata needs one that may write'),
    );
  const subject = await subjectOf(reads, { client, venue, now, openOrder });
  if (!subject) return entries.map((entry) => unchecked(entry, 'GET /symbols lists no stock to test with'));
  const { chainId, router = null, assumptions } = venue;
  const terms = { client, chainId, router, functions: assumptions?.functions ?? {} };
  return [await checkRefusals(client, subject), ...(await checkFunctions(trialsOf(subject), terms))];
}

/** Seconds for which the calldata would be valid if it were signed. */
const DEADLINE_SECONDS = 90;

type ProbeInput = Readonly<{
  client: VenueClient;
  venue: VenueConfig;
  now: EpochMs;
  openOrder: string | null;
}>;

async function subjectOf(
  reads: readonly EndpointReply[],
  { client, venue, now, openOrder }: ProbeInput,
): Promise<Subject | null> {
  const stock = stockIn(reads);
  if (!stock) return null;
  return {
    ...stock,
    userAddress: venue.userAddress.toLowerCase() as Address,
    token: await cashTokenOf(client),
    deadline: epochSeconds(toSeconds(now) + DEADLINE_SECONDS),
    openOrder,
  };
}

/** The first fractionable stock with a price. */
function stockIn(reads: readonly EndpointReply[]) {
  const { response } = endpoints.symbols;
  const listed = response.safeParse(dataOf(reads, endpoints.symbols.path)).data ?? [];
  for (const row of listed)
    if (!isUnreadable(row) && 'symbol' in row && row.tradable && row.fractionable && row.price > 0)
      if (isTicker(row.symbol))
        return {
          symbol: ticker(row.symbol),
          stock: row.contractAddress.toLowerCase() as Address,
          quote: wadFromNumber(row.price),
        };
  return null;
}

async function cashTokenOf(client: VenueClient): Promise<Subject['token']> {
  const config = await client.config().catch(atVenueFault(() => null));
  for (const row of config?.cashierTokenConfig ?? [])
    if (!isUnreadable(row) && 'tokenAddress' in row && row.decimals != null)
      return { address: row.tokenAddress.toLowerCase() as Address, decimals: row.decimals };
  return null;
}

/** Checks the token and bars of one stock. */
async function ofStock(
  reads: readonly EndpointReply[],
  { client, venue, calendar, now }: AssumptionProbe,
): Promise<readonly AssumptionResult[]> {
  const stock = stockIn(reads);
  if (!stock) return [];
  const { envelope } = await answerTo(client, `/api/v1/prices/${stock.symbol}`);
  const token = isTree(envelope?.data) ? envelope.data['onChain'] : null;
  return [
    ...checkTokens(isTree(token) ? token : {}, venue),
    await checkBars(client, stock.symbol, { calendar, now }),
  ];
}
