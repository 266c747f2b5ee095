import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tradingCalendar } from '../src/calendar/index.ts';
import { reportScript } from '../src/cli/commands/backtest/reportScript.ts';
import { reportPage } from '../src/report/html/page.ts';
import { LiveHistory } from '../src/report/live/liveHistory.ts';
import { liveRecord } from '../src/report/live/liveRecord.ts';
import { readJournal } from '../src/store/readJournal.ts';
import { writeLiveJournal, type JournalSize } from './liveJournal.ts';
import { median, timed, type Result } from './result.ts';

/** A year, with a row of quotes every five seconds as in the bundled config. */
export const YEAR: JournalSize = { from: '2025-01-02', sessions: 250, orders: 20, quotes: 4_650 };
const ROUNDS = 3;

/** Measures the report of a year of live trading, from its journal to the page. */
export async function report(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  try {
    const file = join(folder, 'journal.sqlite');
    writeLiveJournal(file, YEAR);
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await timed(() => void pageOf(file)));
    return [
      {
        name: 'report',
        value: median(rounds),
        unit: `ms for ${YEAR.sessions} sessions, ${YEAR.sessions * YEAR.orders} orders`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function pageOf(file: string): string {
  const reader = readJournal(file);
  const history = new LiveHistory(reader);
  reader.close();
  const identity = { kind: 'live', account: 'bench', params: new Map(), calendar: tradingCalendar } as const;
  return reportPage(liveRecord(history, identity, null), reportScript());
}
