import { rmSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../browser/launch.ts';
import { freshDir } from '../e2e/cli.ts';
import { inLook, LOOKS, signIn, type Camera } from './camera.ts';
import { startFleet, startRun, writeReport, type Scene } from './scenes.ts';

/**
 * Takes pictures of every view of the page and of a report: `npm run screenshots`. The run in them is always the same,
 * except for the seconds that pass meanwhile.
 */

/** Run in the page: hashes of the views that the navigation leads to. */
const VIEWS = `[...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href'))`;

const nameOf = (hash: string): string => hash.split('/').at(-1) ?? '';

/** Takes every view of a page that is not among those taken `before`. Returns the names of all. */
async function takeViews(browser: Browser, scene: Scene, before: readonly string[]): Promise<string[]> {
  const session = await signIn(browser, scene);
  const home = new URL('#/now', scene.url).href;
  const taken = new Set(before);
  for (const look of LOOKS)
    await inLook({ browser, session }, look, async (camera) => {
      await camera.show(home);
      for (const hash of await camera.page.evaluate<string[]>(VIEWS)) {
        if (before.includes(nameOf(hash))) continue;
        await camera.show(new URL(hash, home).href);
        await camera.take(nameOf(hash));
        taken.add(nameOf(hash));
      }
      if (before.length === 0) await takeOpened(camera, home);
    });
  return [...taken];
}

/** Takes pictures of opened details: the life of an order, a journal entry, one run and two, and a command before it is given. */
async function takeOpened(camera: Camera, home: string): Promise<void> {
  const { page, show, take } = camera;
  for (const [view, name] of [
    ['orders', 'order'],
    ['journal', 'entry'],
  ] as const) {
    await show(new URL(`#/${view}`, home).href);
    const link = await page.locator('.list td a').nth(3).getAttribute('href');
    await show(new URL(link ?? '', home).href);
    await take(name);
  }
  for (const [place, name] of [
    ['runs/rotation.json', 'run'],
    ['runs?a=live&b=same-days.json', 'comparison'],
  ] as const) {
    await show(new URL(`#/${place}`, home).href);
    await take(name);
  }
  await show(home);
  await page.getByRole('button', { name: 'Flatten everything' }).click();
  await take('dialog');
}

async function takeReport(browser: Browser, folder: string): Promise<void> {
  const report = await writeReport(folder);
  for (const look of LOOKS)
    await inLook({ browser }, look, async ({ show, take }) => {
      await show(`file://${report}`);
      await take('report');
    });
}

const browser = await launchBrowser();
if (browser === null) throw new Error('there is no browser: install Chrome');
const folder = freshDir();
const run = await startRun(folder);
const fleet = await startFleet(folder, run.state);
try {
  const views = await takeViews(browser, run, []);
  await takeViews(browser, fleet, views);
  for (const look of LOOKS)
    await inLook({ browser }, look, async ({ show, take }) => {
      await show(new URL('/', run.url).href);
      await take('sign-in');
    });
  await takeReport(browser, folder);
} finally {
  await fleet.close();
  await run.close();
  await browser.close();
  rmSync(folder, { recursive: true });
}
