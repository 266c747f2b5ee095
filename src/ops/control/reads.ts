import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { toIso } from '../../core/brand.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Daemon } from '../daemon.ts';
import { accountSchema, accountViewOf } from '../model/account.ts';
import { heldOrdersOf } from '../model/heldOrders.ts';
import { endedOrdersOf, fillsOf, openOrdersOf } from '../model/orders.ts';
import {
  endedOrderSchema,
  fillSchema,
  noticeSchema,
  heldOrderSchema,
  limitSchema,
  openOrderSchema,
  pnlSchema,
  positionSchema,
  statusSchema,
  strategySchema,
} from '../model/status.ts';
import { commandRead } from './commandRoutes.ts';
import type { EventStream } from './events.ts';
import { PAGE_MAX, type JournalPages } from './journalPages.ts';
import { RefusedRequest } from './request.ts';
import { count, numberIn, ok, text, type ReadRoute, type Route } from './route.ts';

const selection = z.strictObject({
  strategy: z.string().max(100).optional(),
  symbol: z.string().max(100).toUpperCase().optional(),
  count,
});
type Selection = z.output<typeof selection>;

const equitySchema = z.object({ equity: text, cash: text, pnl: pnlSchema });
const entrySchema = z.looseObject({ seq: z.number(), at: text, kind: text });

const journalQuery = z.strictObject({
  after: numberIn(0, Number.MAX_SAFE_INTEGER).default(0),
  limit: numberIn(1, PAGE_MAX).default(PAGE_MAX),
});

export type ReadParts = Readonly<{ daemon: Daemon; pages: JournalPages; stream: EventStream }>;

const reading = ({ read, ...rest }: ReadRoute & { read: (query: unknown) => unknown }): Route => ({
  method: 'GET',
  ...rest,
  handle: ({ query }) => ok(read(query)),
});

const isSelected = (
  { strategy, symbol }: Selection,
  of: Readonly<{ strategy: string; symbol: string }>,
): boolean =>
  (strategy === undefined || of.strategy === strategy) && (symbol === undefined || of.symbol === symbol);

/** Newest rows of a selection. */
function selected<Row>(
  query: unknown,
  rowsOf: (count: number, isWanted: (order: Order) => boolean) => readonly Row[],
): readonly Row[] {
  const wanted = selection.parse(query);
  return rowsOf(wanted.count, ({ strategyId, terms: { symbol } }) =>
    isSelected(wanted, { strategy: strategyId, symbol }),
  );
}

/** Endpoints that show the current state of the run. */
const stateReads = ({ daemon }: ReadParts): Route[] => [
  reading({
    path: '/v1/status',
    summary: 'The run on one screen.',
    answer: statusSchema,
    read: () => daemon.status(),
  }),
  reading({
    path: '/v1/strategies',
    summary: 'Strategies with state, money, positions and next timer.',
    answer: z.object({ strategies: z.array(strategySchema) }),
    read: () => ({ strategies: daemon.status().strategies }),
  }),
  reading({
    path: '/v1/positions',
    summary: 'Positions by strategy; the empty id stands for unallocated ones.',
    answer: z.object({ positions: z.array(positionSchema.extend({ strategy: text })) }),
    read: () => ({ positions: positionsOf(daemon) }),
  }),
  reading({
    path: '/v1/held-orders',
    summary: 'Orders held by the bot, not the venue: they only work while the run is active. Oldest first.',
    query: selection,
    answer: z.object({ heldOrders: z.array(heldOrderSchema) }),
    read: (query) => ({ heldOrders: firstOf(query, heldOrdersOf(daemon.context)) }),
  }),
  reading({
    path: '/v1/equity',
    summary: 'Equity, cash and profit, in total and by strategy.',
    answer: equitySchema.extend({ strategies: z.array(equitySchema.extend({ id: text })) }),
    read: () => equityOf(daemon),
  }),
  reading({
    path: '/v1/limits',
    summary: 'Limits, and how much of each is used.',
    answer: z.object({ limits: z.array(limitSchema) }),
    read: () => ({ limits: daemon.status().limits }),
  }),
  reading({
    path: '/v1/account',
    summary: 'All places of money and stock in the ledger, and where the venue differs.',
    answer: accountSchema,
    read: () => accountOf(daemon),
  }),
  reading({
    path: '/v1/differences',
    summary: 'Differences between ledger and venue, freezes, and what to do about them.',
    answer: statusSchema.pick({ differences: true, frozen: true, todo: true }),
    read: () => {
      const { differences, frozen, todo } = daemon.status();
      return { differences, frozen, todo };
    },
  }),
];

/** Endpoints that show past events. */
const pastReads = ({ daemon, pages }: ReadParts): Route[] => [
  reading({
    path: '/v1/orders',
    summary: 'Open orders, oldest first, and those that ended last, newest first.',
    query: selection,
    answer: z.object({ open: z.array(openOrderSchema), ended: z.array(endedOrderSchema) }),
    read: (query) => ({
      open: firstOf(query, openOrdersOf(daemon.context, daemon.context.now)),
      ended: selected(query, (...asked) => endedOrdersOf(daemon.context, ...asked)),
    }),
  }),
  reading({
    path: '/v1/fills',
    summary: 'Latest fills, newest first.',
    query: selection,
    answer: z.object({ fills: z.array(fillSchema) }),
    read: (query) => ({ fills: selected(query, (...asked) => fillsOf(daemon.context, ...asked)) }),
  }),
  reading({
    path: '/v1/notices',
    summary: 'Latest notices of the run, oldest first.',
    query: z.strictObject({ count }),
    answer: z.object({ notices: z.array(noticeSchema) }),
    read: (query) => ({ notices: daemon.notices(z.object({ count }).parse(query).count) }),
  }),
  {
    method: 'GET',
    path: '/v1/journal',
    summary:
      'Entries of the journal after a number, oldest first; fewer where they are long, none at its end.',
    query: journalQuery,
    answer: z.object({
      entries: z.array(entrySchema),
      next: z.number().describe('`after` of the next page'),
    }),
    async handle({ query }) {
      const { after, limit } = journalQuery.parse(query);
      return ok(await pages.page(after, limit));
    },
  },
];

/** First rows of a selection. */
function firstOf<Row extends Readonly<{ strategy: string; symbol: string }>>(query: unknown, rows: Row[]) {
  const wanted = selection.parse(query);
  return rows.filter((row) => isSelected(wanted, row)).slice(0, wanted.count);
}

function accountOf(daemon: Daemon) {
  const { context } = daemon;
  const readAt = context.reads.account === null ? null : toIso(context.reads.account.at);
  return accountViewOf(context, daemon.status().differences, readAt);
}

const positionsOf = (daemon: Daemon) => {
  const { strategies, unallocated } = daemon.status();
  return [...strategies, { id: '', positions: unallocated.positions }].flatMap(({ id, positions }) =>
    positions.map((held) => ({ ...held, strategy: id })),
  );
};

const equityOf = (daemon: Daemon) => {
  const { equity, cash, pnl, strategies } = daemon.status();
  const own = strategies.map((each) => ({
    id: each.id,
    equity: each.equity,
    cash: each.cash,
    pnl: each.pnl,
  }));
  return { equity, cash, pnl, strategies: own };
};

const eventsQuery = z.strictObject({
  after: numberIn(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('the entry after which the stream begins; from now on without it'),
});

const eventsRead = ({ pages, stream, daemon }: ReadParts): Route => ({
  method: 'GET',
  path: '/v1/events',
  summary:
    'Server-sent events: `entry` (of the journal, with its number as id), `notice`, `price`, and `dropped` for a slow reader. The ' +
    'header Last-Event-ID or `after` resumes after a number; the stream begins with the number after which it does.',
  query: eventsQuery,
  answer: null,
  media: 'text/event-stream',
  handle({ query, caller }, reply) {
    stream.requireRoom(caller.door);
    const after = resumedAt(query, reply);
    const last = daemon.journalLength();
    if (after !== null && after > last)
      throw new RefusedRequest(
        'USAGE',
        `the journal ends at ${last}: there is no entry ${after} to resume after`,
      );
    // An unreadable journal must yield an error response, not a broken stream.
    pages.after(last, 1);
    reply.hijack();
    stream.add(reply.raw, after ?? last, caller);
    return null;
  },
});

function resumedAt(query: unknown, { request }: FastifyReply): number | null {
  const header = request.headers['last-event-id'];
  const { after } = eventsQuery.parse(query);
  if (header === undefined || header === '') return after ?? null;
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header);
  throw new RefusedRequest('USAGE', 'Last-Event-ID must be the number of an entry of the journal');
}

/** All endpoints that read a run. */
export const readsOf = (parts: ReadParts): Route[] => [
  ...stateReads(parts),
  ...pastReads(parts),
  commandRead(parts.daemon),
  eventsRead(parts),
];
