import { attach } from '../../../figures/attach/attach.ts';
import { onTradeList } from './tradeList.ts';

/** Data of the page: session dates of the run. */
type PageData = Readonly<{ sessions: readonly string[] }>;

const { sessions } = JSON.parse(document.getElementById('data-page')?.textContent ?? '') as PageData;
const figures = attach(document, sessions);
for (const table of document.querySelectorAll<HTMLTableElement>('[data-list]'))
  onTradeList(table, figures.showTrade);
onTheme();
onScrolling();
onSections();
document.documentElement.classList.add('js');

/** Marks the sides on which a table extends, to show that it scrolls. */
function onScrolling(): void {
  for (const box of document.querySelectorAll<HTMLElement>('.scroll')) {
    const mark = () => {
      const { scrollLeft, scrollWidth, clientWidth } = box;
      const sides = [
        ...(scrollLeft > 1 ? ['left'] : []),
        ...(scrollLeft + clientWidth < scrollWidth - 1 ? ['right'] : []),
      ];
      box.dataset['more'] = sides.join(' ');
    };
    box.addEventListener('scroll', mark, { passive: true });
    new ResizeObserver(mark).observe(box);
  }
}

/** Marks a link as current, and scrolls it into view if the links are wider than the screen. */
function show(link: HTMLAnchorElement): void {
  const row = link.closest('ul');
  if (row && link.getAttribute('aria-current') === null)
    row.scrollTo({ left: link.offsetLeft - (row.clientWidth - link.offsetWidth) / 2 });
  link.setAttribute('aria-current', 'location');
}

/** Marks the link of the section being read. */
function onSections(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav a')];
  const sections = links.map(({ hash }) => document.getElementById(hash.slice(1)));
  let isWaiting = false;
  const mark = () => {
    isWaiting = false;
    const isAtEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const above = sections.findLastIndex(
      (section) => (section?.getBoundingClientRect().top ?? 0) < innerHeight / 3,
    );
    const current = isAtEnd ? links.length - 1 : Math.max(0, above);
    for (const [place, link] of links.entries())
      if (place === current) show(link);
      else link.removeAttribute('aria-current');
  };
  document.addEventListener('scroll', () => {
    if (!isWaiting) requestAnimationFrame(mark);
    isWaiting = true;
  });
  mark();
}

const THEMES = ['auto', 'light', 'dark'];

/** Makes a button cycle through the system, light and dark themes. */
function onTheme(): void {
  const root = document.documentElement;
  const button = document.getElementById('theme');
  button?.addEventListener('click', () => {
    const place = THEMES.indexOf(root.dataset['theme'] ?? 'auto');
    const next = THEMES[(place + 1) % THEMES.length] ?? 'auto';
    if (next === 'auto') delete root.dataset['theme'];
    else root.dataset['theme'] = next;
    button.textContent = `Theme: ${next}`;
  });
}
