import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { illegible } from './legible.ts';

export { launchBrowser } from './launch.ts';

export type Look = Readonly<{ width?: number; height?: number; scheme?: 'light' | 'dark' }>;

/** A page with a log of its errors. */
export type WatchedPage = Readonly<{
  page: Page;
  /** Console errors, uncaught errors, requests to other origins and violations of the content policy so far. */
  mistakes: readonly string[];
  /** Requests so far, as method and address. */
  requests: readonly string[];
  close: () => Promise<void>;
}>;

/** Opens a page that may only connect to `origin`. `isExpected` names errors that a test provokes. */
export async function openPage(
  browser: Browser,
  origin: string,
  { width = 1440, height = 900, scheme = 'light', isExpected = () => false }: Look & ExpectedMistakes = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  const [mistakes, requests]: [string[], string[]] = [[], []];
  const note = (text: string) => {
    if (!isExpected(text)) mistakes.push(text);
  };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) note(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => note(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    requests.push(`${request.method()} ${request.url()}`);
    const { protocol } = new URL(request.url());
    if (protocol !== 'data:' && new URL(request.url()).origin !== origin) note(`elsewhere: ${request.url()}`);
  });
  await page.exposeFunction('noteBreach', (text: string) => note(`policy: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      (globalThis as unknown as { noteBreach: (text: string) => void }).noteBreach(
        `${violatedDirective} ${blockedURI}`,
      );
    });
  });
  return { page, mistakes, requests, close: () => context.close() };
}

type ExpectedMistakes = Readonly<{ isExpected?: (text: string) => boolean }>;

/** Checks that nothing is wider than the screen, except what scrolls by itself, and that no text is covered or cut off. */
export async function expectToFit(page: Page): Promise<void> {
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  expect(scroll).toBeLessThanOrEqual(client);
  expect(await illegible(page)).toEqual([]);
}

/** The same on a phone and on a desk, in light and in dark. */
export async function expectToFitAnywhere(page: Page): Promise<void> {
  for (const width of [390, 1440])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await expectToFit(page);
    }
}

/** Checks a page by the rules of axe-core: contrast, names, roles, order of headings. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const broken = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
  expect(broken).toEqual([]);
}

type Axe = Pick<typeof axe, 'run'>;
