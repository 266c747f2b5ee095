import type { Format } from '../../figures/format.ts';

/** Data of the list for the script: its columns, rows a page, and the place of each trade in the candles of its symbol. */
export type TradeBlock = Readonly<{
  page: number;
  columns: readonly Readonly<{
    head: string;
    format?: Format;
    isLong?: boolean;
    /** Texts that repeat; `values` are then places among them. */
    known?: readonly string[];
    values: readonly (string | number | null)[];
  }>[];
  /** Figure of the stock of each trade, and the index of the trade there; null where the stock has no figure. */
  places: readonly (readonly [chart: string, index: number] | null)[];
}>;
