import { closeSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '../../../core/errors.ts';
import { bytesOf } from '../../../market/columns.ts';
import { csvText } from '../../../market/csvBars.ts';
import { adjustedBars } from '../../../market/factors.ts';
import { countBefore, cutTo } from '../../../market/mergeBars.ts';
import type { BarColumns } from '../../../market/series.ts';
import { intervalOf } from '../../../app/backtest/barFiles.ts';
import { givenCalendar } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import {
  storeOf,
  type DataFlags,
  loadBars,
  type LoadedBars,
  spanIn,
  tickersOf,
} from '../../../app/data/storedBars.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { printResult } from '../../../process/output.ts';
import { writeProblem } from '../../../process/files.ts';

type ExportFlags = DataFlags &
  Readonly<{
    symbol: string;
    interval?: string;
    format?: string;
    out?: string;
    adjusted?: boolean;
    from?: string;
    to?: string;
  }>;

/** `drover data export`: CSV on stdout, or a new file. Longer bars are made from shorter ones where only these are stored. */
export function dataExport(flags: ExportFlags, context: CommandContext): number {
  const { format = 'csv', out } = flags;
  const { terminal, json } = context;
  if (format !== 'csv' && format !== 'f64') throw new ConfigError(`--format "${format}": write csv or f64`);
  if (out === undefined && (json || format === 'f64'))
    throw new ConfigError('name the file to write: --out FILE');
  const [symbol] = tickersOf([flags.symbol]);
  if (!symbol) throw new ConfigError('whose bars?');
  const name = { symbol, interval: intervalOf(flags.interval ?? '1d') };
  const loaded = loadBars(storeOf(flags, context), name, givenCalendar(context));
  const columns = cut(flags.adjusted ? adjusted(loaded) : loaded.columns, flags);
  if (out === undefined) for (const text of csvText(columns)) terminal.out(text.trimEnd());
  else {
    const file = resolve(context.cwd, out);
    writeNew(file, format === 'csv' ? csvText(columns) : [bytesOf(columns)]);
    const { interval, madeOf } = loaded;
    const bars = columns.start.length;
    const text = `${file}: ${bars} bars of ${symbol} ${interval}`;
    printResult(context, { file, symbol, interval, madeOf, bars }, text);
  }
  return EXIT.done;
}

function adjusted({ symbol, madeOf, columns, factors }: LoadedBars): BarColumns {
  if (factors) return adjustedBars(columns, factors);
  throw new ConfigError(
    `no factors are stored of ${symbol} ${madeOf}: \`drover data pull ${symbol} --interval ${madeOf}\` gets them from the venue`,
  );
}

function cut(columns: BarColumns, flags: ExportFlags): BarColumns {
  const { from, to } = spanIn(flags, { from: -Infinity, to: Infinity });
  const kept = cutTo(columns, countBefore(columns.start, from), countBefore(columns.start, to));
  if (kept.start.length > 0) return kept;
  throw new ConfigError('there are no bars in that time; `drover data list` shows what there is');
}

function writeNew(file: string, parts: Iterable<string | Uint8Array>): void {
  try {
    const descriptor = openSync(file, 'wx');
    try {
      for (const part of parts) writeAll(descriptor, typeof part === 'string' ? Buffer.from(part) : part);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new ConfigError(`cannot write ${file}: ${writeProblem(file, error)}`);
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}
