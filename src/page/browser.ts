import type { Cancel, Surroundings } from './connection/surroundings.ts';
import { orElse } from '../core/errors.ts';

/** Appearance settings with their values, the default first. The theme `auto` follows the system. */
export const LOOKS = {
  theme: ['auto', 'light', 'dark'],
  /** Colours of gains; losses are orange next to blue, and red next to green. */
  gains: ['blue', 'green'],
} as const;
export type LookName = keyof typeof LOOKS;
const keyOf = (name: LookName): string => `drover-${name}`;

/** The browser around the page: the only code that touches its network, clock and storage. */
export const browser: Surroundings = {
  fetch: (address, init) => fetch(address, { credentials: 'same-origin', cache: 'no-store', ...init }),
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  isHidden: () => document.visibilityState === 'hidden',
  onWake(run) {
    const seen = () => {
      if (document.visibilityState === 'visible') run();
    };
    return onAll([
      listen(document, 'visibilitychange', seen),
      listen(window, 'online', run),
      listen(window, 'pageshow', run),
    ]);
  },
};

function listen(target: EventTarget, event: string, run: () => void): Cancel {
  target.addEventListener(event, run);
  return () => target.removeEventListener(event, run);
}

const onAll =
  (cancels: readonly Cancel[]): Cancel =>
  () => {
    for (const cancel of cancels) cancel();
  };

/** Appearance setting stored in this browser. */
export function storedLook(name: LookName): string {
  const [usual, ...others] = LOOKS[name];
  return orElse(() => others.find((look) => look === localStorage.getItem(keyOf(name))) ?? usual, usual);
}

/** Stores an appearance setting in this browser, if allowed, and applies it. */
export function showLook(name: LookName, look: string): void {
  document.documentElement.dataset[name] = look;
  try {
    localStorage.setItem(keyOf(name), look);
  } catch {
    // If the browser cannot store it, it is still applied.
  }
}

/** Part of the address after `#`, now and whenever it changes. */
export const readHash = (): string => location.hash;
export const onHash = (run: () => void): Cancel => listen(window, 'hashchange', run);

/** Replaces the place in the URL without adding a history entry. */
export const replaceHash = (hash: string): void => location.replace(hash);

/** Adds rules to the page's style sheet: the policy allows this only to the page's own scripts. */
export function addStyle(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

/** Screens that the style sheet treats as narrow. */
const NARROW = '(max-width: 640px)';

/** Calls `run` now and whenever the screen has become narrow or wide. */
export function onNarrow(run: (isNarrow: boolean) => void): void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', () => run(query.matches));
  run(query.matches);
}

/** Copies a text; false if the browser does not allow it. */
export const copyText = (text: string): Promise<boolean> =>
  navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );

/** Removes the one-time code from the URL, so that it is in no history or bookmark; null without one. */
export function takeCode(): string | null {
  const [, code = null] = /^#code=([A-Za-z0-9_-]{1,100})$/.exec(location.hash) ?? [];
  if (code !== null) location.replace('#/now');
  return code;
}

/** Folder of the page, such as `/` or `/drover/`. */
export const pageFolder = (): string => location.pathname.replace(/[^/]*$/, '');

export const reload = (): void => location.reload();

/** Sets the title of the page's tab. */
export function showTitle(text: string): void {
  document.title = text;
}

/** A new unique id for a command: 32 digits. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
