import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { withAccount } from '../../../app/transfers/account.ts';
import { toJson, readableRows, table } from '../../../process/output.ts';

export type ActionFlags = Readonly<{ symbols?: string; from?: string; to?: string }>;

/** `drover corporate-actions`: splits, dividends and spin-offs by their ex-date. */
export const corporateActions = (
  { symbols, from, to }: ActionFlags,
  context: CommandContext,
): Promise<number> =>
  withAccount(context, async ({ client }) => {
    const { terminal, json } = context;
    const query = {
      ...(symbols !== undefined && { symbols: symbols.toUpperCase() }),
      ...(from !== undefined && { start: from }),
      ...(to !== undefined && { end: to }),
    };
    const rows = readableRows(await client.corporateActions({ query }), terminal);
    if (json) terminal.out(toJson(rows));
    else if (rows.length === 0) terminal.out('none');
    else {
      const cells = rows.map(({ exDate, symbol, type, oldRate, newRate, cashPerShare }) => {
        const rate = oldRate && newRate ? `${oldRate} for ${newRate}` : '-';
        return [exDate ?? '-', symbol, type, rate, cashPerShare ?? '-'];
      });
      terminal.out(table(['ex-date', 'symbol', 'type', 'shares', 'cash a share'], cells, ['cash a share']));
    }
    return EXIT.done;
  });
