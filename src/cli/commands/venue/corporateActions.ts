import type { CommandContext } from '../../../process/context.ts';
import type { VenueClient } from '../../../api/client.ts';
import type { Unreadable } from '../../../core/nesting.ts';
import { withVenue } from '../../../app/environment/connect.ts';
import { printResult, readableRows, tableOf, type Column } from '../../../process/output.ts';

/** `drover corporate-actions`: splits, dividends and spin-offs by ex-date. */
export const corporateActions = (
  { symbols, from, to }: Readonly<{ symbols?: string; from?: string; to?: string }>,
  context: CommandContext,
): Promise<number> =>
  withVenue(context, async ({ client }) => {
    const query = {
      ...(symbols !== undefined && { symbols: symbols.toUpperCase() }),
      ...(from !== undefined && { start: from }),
      ...(to !== undefined && { end: to }),
    };
    const rows = readableRows(await client.corporateActions({ query }), context.terminal);
    return printResult(context, rows, tableOf(rows, COLUMNS, { empty: 'none' }));
  });

type Action = Exclude<Awaited<ReturnType<VenueClient['corporateActions']>>[number], Unreadable>;

const COLUMNS: readonly Column<Action>[] = [
  ['ex-date', ({ exDate }) => exDate ?? null],
  ['symbol', ({ symbol }) => symbol],
  ['type', ({ type }) => type],
  ['shares', ({ oldRate, newRate }) => (oldRate && newRate ? `${oldRate} for ${newRate}` : null)],
  ['cash a share', ({ cashPerShare }) => cashPerShare ?? null, 'right'],
];
