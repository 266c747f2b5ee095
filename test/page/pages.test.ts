import { expect, test } from 'vitest';
import { Pages, type Page } from '../../src/page/parts/pages.ts';

type Row = Readonly<{ seq: number; text: string }>;

/** A list that ends at `last`, in pages of three. */
function listOf(list: { last: number; text: string; broken: boolean }) {
  const asked: (number | null)[] = [];
  const timers: (() => void)[] = [];
  const read = (before: number | null): Promise<Page<Row>> => {
    asked.push(before);
    if (list.broken) return Promise.reject(new Error('the journal is gone'));
    const first = (before ?? list.last + 1) - 1;
    const count = Math.min(3, first);
    const rows = Array.from({ length: count }, (_, at) => ({ seq: first - at, text: list.text }));
    return Promise.resolve({ rows, next: first - count === 0 ? null : first - count + 1 });
  };
  const after = (_ms: number, run: () => void) => {
    timers.push(run);
    return () => undefined;
  };
  return { pages: new Pages<Row>(read, { after }), asked, timers };
}

const seqs = ({ rows }: Pages<Row>): number[] => rows.value.map(({ seq }) => seq);

test('pages of a list lead to the oldest row, and no page is read twice', async () => {
  const { pages, asked } = listOf({ last: 7, text: 'a', broken: false });
  await Promise.all([pages.more(), pages.more()]);
  expect(seqs(pages)).toEqual([7, 6, 5]);
  await pages.more();
  await pages.more();
  await pages.more();
  expect([seqs(pages), asked, pages.isWhole]).toEqual([[7, 6, 5, 4, 3, 2, 1], [null, 5, 2], true]);
});

test('a refresh adds newer rows before the older ones, and updates the rows it reads', async () => {
  const list = { last: 7, text: 'a', broken: false };
  const { pages } = listOf(list);
  await pages.more();
  await pages.more();
  list.last = 8;
  list.text = 'b';
  pages.unseen.value = 2;
  await pages.refresh();
  const texts = pages.rows.value.map(({ seq, text }) => `${seq}${text}`);
  expect(texts).toEqual(['8b', '7b', '6b', '5a', '4a', '3a', '2a']);
  expect(pages.unseen.value).toBe(0);
  await pages.more();
  expect(seqs(pages)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
});

test('a refresh that would leave a gap starts the list again', async () => {
  const list = { last: 4, text: 'a', broken: false };
  const { pages } = listOf(list);
  await pages.more();
  list.last = 20;
  await pages.refresh();
  await pages.more();
  expect(seqs(pages)).toEqual([20, 19, 18, 17, 16, 15]);
});

test('many changes cause one refresh, and a failed read shows why and is not repeated', async () => {
  const list = { last: 4, text: 'a', broken: false };
  const { pages, asked, timers } = listOf(list);
  pages.plan();
  pages.plan();
  expect(timers).toHaveLength(1);
  list.broken = true;
  await pages.more();
  await pages.more();
  expect([pages.problem.value, asked.length]).toEqual(['the journal is gone', 1]);
  list.broken = false;
  await pages.refresh();
  expect([pages.problem.value, seqs(pages)]).toEqual([null, [4, 3, 2]]);
});
