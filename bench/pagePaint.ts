import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { OpenedPage } from './pageOpened.ts';
import { median, type Result } from './result.ts';

const ROUNDS = 7;
/** Time in ms between two checks whether a page shows its content. */
const LOOK_MS = 50;

/** Content that a view shows once loaded: the run, rows of orders, a year of equity. */
const CONTENT: Readonly<Record<string, string>> = {
  now: 'dl.figures',
  orders: '.list tbody a',
  strategy: '#equity .area path',
};

/** Run in the page before everything else: records when a selector first matches as a frame is drawn. */
const noting = (selector: string): string => `(() => {
  const look = () => {
    if (document.querySelector(${JSON.stringify(selector)})) window.shownAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;
const PAINT = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`;

/** Measures the page from its address to its content, in a browser with an empty cache, against an empty page of the same server. */
export async function pagePaint(opened: OpenedPage): Promise<Result[]> {
  const [empty, paints] = [[] as number[], [] as number[]];
  const shown = Object.keys(CONTENT).map((view) => ({ view, times: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++) {
    empty.push((await load(opened, 'assets/none', 'body')).paint);
    for (const { view, times } of shown) {
      const { paint, content } = await load(opened, `#/${view}`, CONTENT[view] ?? '');
      if (view === 'now') paints.push(paint);
      times.push(content);
    }
  }
  const resultOf = (name: string, times: readonly number[], unit: string): Result => {
    const ratios = times.map((time, round) => time / (empty[round] ?? NaN));
    const ratio = { vs: 'the first paint of an empty page', x: median(ratios) };
    return { name, value: median(times), unit, ratio };
  };
  return [
    resultOf('page-paint', paints, 'ms to the first paint, with a year and 10,000 orders'),
    ...shown.map(({ view, times }) =>
      resultOf(`page-${view}`, times, `ms until the view ${view} has its content`),
    ),
  ];
}

type Times = Readonly<{ paint: number; content: number }>;

/** Opens an address in a new browser profile. */
async function load({ browser, session, url }: OpenedPage, path: string, selector: string): Promise<Times> {
  const context = await browser.newContext({ storageState: session });
  const page = await context.newPage();
  await page.addInitScript(noting(selector));
  await page.goto(`${url}/${path}`);
  for (;;) {
    const [paint, content] = await page.evaluate<(number | undefined)[]>(`[${PAINT}, window.shownAt]`);
    if (paint !== undefined && content !== undefined) {
      await context.close();
      return { paint, content };
    }
    await pause(LOOK_MS);
  }
}

const PAGE = fileURLToPath(new URL('../page', import.meta.url));

/** Size of everything that the page loads, as it is sent. */
export function pageSize(): Result[] {
  const files = readdirSync(PAGE, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const bytes = files.reduce(
    (sum, { parentPath, name }) => sum + gzipSync(readFileSync(join(parentPath, name))).length,
    0,
  );
  return [{ name: 'page-size', value: bytes / 1_000, unit: 'kB of the page, compressed' }];
}
