import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { root } from '../e2e/cli.ts';
import { quietOf } from './quiet.ts';
import type { Scene } from './scenes.ts';

export type Look = Readonly<{ scheme: 'light' | 'dark'; width: 1440 | 390 }>;
export const LOOKS: readonly Look[] = [
  { scheme: 'light', width: 1440 },
  { scheme: 'dark', width: 1440 },
  { scheme: 'light', width: 390 },
  { scheme: 'dark', width: 390 },
];
const HEIGHTS = { 1440: 900, 390: 844 } as const;

/** Picture of the docs, and the size of the shown part of the page, in px. */
type DocsPicture = Readonly<{ file: string; width: number; height: number }>;

/** Pictures of the docs by view, scheme and width. They are few and small, because the package has them too. */
const SHOWN: Readonly<Record<string, DocsPicture>> = {
  'now-light-1440': { file: 'page-now', width: 1200, height: 700 },
  'strategy-dark-1440': { file: 'page-strategy', width: 1200, height: 750 },
  'now-dark-390': { file: 'page-phone', width: 390, height: 760 },
  'report-light-1440': { file: 'report', width: 1200, height: 680 },
};

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

/** A page in a look, ready for pictures. */
export type Camera = Readonly<{
  page: Page;
  /** Goes to a place of the page, such as `#/now`, and waits until it is complete. */
  show: (hash: string) => Promise<void>;
  take: (name: string) => Promise<void>;
}>;

/** Folders of the pictures for the docs, and of whole pages, which git ignores. */
const [DOCS, ALL] = [join(root, 'docs/images'), join(root, 'screenshots')];

/** Signs in once. Returns the session for every look. */
export async function signIn(browser: Browser, { url }: Scene): Promise<Session> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.getByText('Connected').waitFor();
  const session = await context.storageState();
  await context.close();
  return session;
}

type Place = Readonly<{ browser: Browser; session?: Session }>;

/** Lets `work` take pictures in a look. */
export async function inLook(
  { browser, session }: Place,
  look: Look,
  work: (camera: Camera) => Promise<void>,
): Promise<void> {
  const { scheme, width } = look;
  const context = await browser.newContext({
    viewport: { width, height: HEIGHTS[width] },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    ...(session ? { storageState: session } : {}),
  });
  const page = await context.newPage();
  const quiet = quietOf(page);
  await work({
    page,
    async show(address) {
      await page.goto(address);
      await quiet();
    },
    async take(name) {
      const file = `${name}-${scheme}-${width}`;
      await page.screenshot({ path: join(ALL, `${file}.png`), fullPage: true });
      const shown = SHOWN[file];
      if (shown === undefined) return;
      await page.setViewportSize({ width: shown.width, height: shown.height });
      await quiet();
      await page.screenshot({ path: join(DOCS, `${shown.file}.png`) });
      await page.setViewportSize({ width, height: HEIGHTS[width] });
    },
  });
  await context.close();
}
