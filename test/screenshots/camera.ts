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

/** Pictures that the docs show, by view, scheme and width: of these the first screen. Git ignores the folder of the others. */
const SHOWN: readonly string[] = [
  'now-light-1440',
  'now-dark-390',
  'strategy-dark-1440',
  'orders-light-1440',
  'report-light-1440',
];

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

/** A page in a look of which pictures are taken. */
export type Camera = Readonly<{
  page: Page;
  /** Goes to a place of the page, such as `#/now`, and waits until everything is there. */
  show: (hash: string) => Promise<void>;
  take: (name: string) => Promise<void>;
}>;

/** Folders of the first screens that the docs show, and of whole pages. */
const [DOCS, ALL] = [join(root, 'docs/images'), join(root, 'screenshots')];

/** Signs in once. Returns what lets every look in. */
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
      if (SHOWN.includes(file)) await page.screenshot({ path: join(DOCS, `${file}.png`) });
    },
  });
  await context.close();
}
