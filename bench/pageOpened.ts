import type { Browser, BrowserContext } from 'playwright-core';
import { launchBrowser } from '../test/browser/launch.ts';
import { drover, firstLine, withDaemon, type Daemon } from './liveDaemon.ts';
import { YEAR } from './report.ts';

/** A year with 10,000 orders. */
const JOURNAL = { ...YEAR, orders: 40 };
/** How often prices are read, in ms: as usual. */
const QUOTES_MS = 5_000;

/** Session of a browser that has signed in. */
export type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

/**
 * The page of a daemon with a year of history, and a signed-in browser. `url`: of the page, without a trailing part.
 * `views`: by the last words of their addresses, as the navigation links to them.
 */
export type OpenedPage = Readonly<{
  daemon: Daemon;
  browser: Browser;
  session: Session;
  url: string;
  views: readonly string[];
}>;

/** Run in the page: last words of the addresses of its views. */
const VIEWS = `[...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href').split('/').at(-1))`;

/** Runs `work` with a browser on the page of a daemon. @throws where there is no browser */
export function withPage<T>(work: (opened: OpenedPage) => Promise<T>): Promise<T> {
  return withDaemon(
    { journal: JOURNAL, quotesMs: QUOTES_MS, flags: ['--listen', '127.0.0.1:0'] },
    async (daemon) => {
      const browser = await launchBrowser();
      if (browser === null) throw new Error('there is no browser: install Chrome');
      try {
        return await work({ daemon, browser, ...(await signIn(browser, daemon)) });
      } finally {
        await browser.close();
      }
    },
  );
}

async function signIn(browser: Browser, { state }: Daemon): Promise<Omit<OpenedPage, 'daemon' | 'browser'>> {
  const dashboard = drover(['dashboard', '--json', '--state', state]);
  const { url } = JSON.parse(await firstLine(dashboard.stdout)) as { url: string };
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.getByText('Connected').waitFor();
  const session = await context.storageState();
  const views = await page.evaluate<string[]>(VIEWS);
  await context.close();
  return { url: new URL(url).origin, session, views };
}
