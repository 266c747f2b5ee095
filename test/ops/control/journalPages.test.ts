import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { machine } from '../../../src/core/clock.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import type { EngineContext } from '../../../src/engine/state/engineContext.ts';
import { EventStream } from '../../../src/ops/control/events.ts';
import { JournalPages } from '../../../src/ops/control/journalPages.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';

const open: JournalPages[] = [];
afterEach(() => {
  for (const pages of open.splice(0)) pages.close();
});

/** Pages of a journal whose entries have bodies of these lengths. `turns`: number of yields to the event loop. */
function journalOf(lengths: readonly number[]): { pages: JournalPages; turns: () => number } {
  const file = join(mkdtempSync(join(tmpdir(), 'drover-')), 'journal.sqlite');
  openSqliteJournal(file).commit(
    lengths.map((length) => ({
      at: epochMs(0),
      fact: { kind: 'denied', method: 'GET', path: 'x'.repeat(length), group: null },
    })),
  );
  let turns = 0;
  const turn = () => {
    turns++;
    return machine.turn();
  };
  const pages = new JournalPages(file, { turn });
  open.push(pages);
  return { pages, turns: () => turns };
}

const seqsOf = (lines: readonly Readonly<{ seq: number }>[]) => lines.map(({ seq }) => seq);
const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
const pageAt = async (pages: JournalPages, seq: number, limit = 500) =>
  JSON.parse(await pages.page(seq, limit)) as { entries: { seq: number; path: string }[]; next: number };

test('a slice has at most a hundred entries, and knows whether it is the last', () => {
  const { pages } = journalOf(Array<number>(200).fill(10));
  const [first, second, none] = [pages.after(0), pages.after(100), pages.after(200)];
  expect([seqsOf(first.lines), first.isEnd]).toEqual([from(1, 100), false]);
  expect([seqsOf(second.lines), second.isEnd]).toEqual([from(101, 200), true]);
  expect([none.lines, none.isEnd]).toEqual([[], true]);
});

test('a slice ends once its entries are long, and has at least one', () => {
  const { pages } = journalOf([100_000, 100_000, 10, 500_000, 10]);
  expect([seqsOf(pages.after(0).lines), pages.after(0).isEnd]).toEqual([[1, 2], false]);
  expect(seqsOf(pages.after(2).lines)).toEqual([3, 4]);
  expect([seqsOf(pages.after(4).lines), pages.after(4).isEnd]).toEqual([[5], true]);
});

test('a page is read in slices and yields to other requests between them', async () => {
  const { pages, turns } = journalOf(Array<number>(620).fill(10));
  const page = await pageAt(pages, 10);
  expect([seqsOf(page.entries), page.next, turns()]).toEqual([from(11, 510), 510, 4]);
  const rest = await pageAt(pages, 510);
  expect([seqsOf(rest.entries), rest.next]).toEqual([from(511, 620), 620]);
  expect(await pageAt(pages, 620)).toEqual({ entries: [], next: 620 });
  expect(seqsOf((await pageAt(pages, 0, 3)).entries)).toEqual([1, 2, 3]);
});

test('a page of long entries is shorter, and says where to continue', async () => {
  const { pages } = journalOf(Array<number>(20).fill(100_000));
  const first = await pageAt(pages, 0);
  expect([seqsOf(first.entries), first.next]).toEqual([from(1, 10), 10]);
  expect(seqsOf((await pageAt(pages, first.next)).entries)).toEqual(from(11, 20));
});

test('all readers together get one slice in each turn of the event loop', async () => {
  const { pages } = journalOf(Array<number>(500).fill(10));
  let most = 0;
  let inThisTurn = 0;
  const read = pages.after.bind(pages);
  pages.after = (...asked) => {
    most = Math.max(most, ++inThisTurn);
    setImmediate(() => (inThisTurn = 0));
    return read(...asked);
  };
  await Promise.all([0, 1, 2, 3, 4].map(() => pages.page(0, 500)));
  // Each begins when it is requested; from then on they wait for each other.
  expect(most).toBe(5);
  inThisTurn = most = 0;
  const others = [pages.page(0, 500), pages.page(0, 500)];
  await machine.turn();
  most = 0;
  await Promise.all(others);
  expect(most).toBe(1);
});

/** A response that accepts everything. */
class Taking extends EventEmitter {
  text = '';
  writableNeedDrain = false;
  writableLength = 0;
  writeHead(): void {
    this.text = '';
  }
  write(chunk: Buffer | string): boolean {
    this.text += chunk.toString();
    if (this.text.includes('id: 350\n')) this.emit('caughtUp');
    return true;
  }
  end(): void {
    this.emit('close');
  }
  destroy(): void {
    this.emit('close');
  }
}

test('an event stream catches up slice by slice, without a gap', async () => {
  const { pages, turns } = journalOf(Array<number>(350).fill(10));
  const response = new Taking();
  const stream = new EventStream({
    daemon: {
      context: { market: { instruments: new Map() } } as unknown as EngineContext,
      subscribe: () => () => undefined,
    },
    pages,
    host: machine,
    secrets: new Secrets(),
  });
  const caughtUp = once(response, 'caughtUp');
  stream.add(response as unknown as ServerResponse, 20, { door: 'socket' });
  await caughtUp;
  stream.close();
  const ids = [...response.text.matchAll(/^id: (\d+)\nevent/gm)].map(([, id]) => Number(id));
  expect([ids, turns()]).toEqual([from(21, 350), 3]);
});
