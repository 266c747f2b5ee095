import type { Page } from 'playwright-core';

/**
 * Geometry of what a page shows, as the browser lays it out: covered texts, and texts that a box cuts off. Text that can
 * be scrolled to is fine; text that ends in an ellipsis has to be shown in full by a title or on focus.
 */

/** Part of a pixel by which boxes may touch, and by which fonts exceed their lines. */
const SLACK_PX = 1.5;

/** Texts of a page that cannot be read, each with the reason. */
export const illegible = (page: Page): Promise<string[]> => page.evaluate(findIllegible, SLACK_PX);

/** Runs in the page. */
function findIllegible(slack: number): string[] {
  type Box = Readonly<{ left: number; right: number; top: number; bottom: number }>;
  type Shown = Readonly<{ of: Element; name: string; box: Box; text: boolean }>;

  const near = (text: string) => text.trim().replace(/\s+/g, ' ').slice(0, 60);
  const meet = (one: Box, other: Box): Box => ({
    left: Math.max(one.left, other.left),
    right: Math.min(one.right, other.right),
    top: Math.max(one.top, other.top),
    bottom: Math.min(one.bottom, other.bottom),
  });
  const isSeen = ({ left, right, top, bottom }: Box) => right - left > slack && bottom - top > slack;
  const isLater = (of: Element) => of.closest('.skip, [aria-hidden=true]:not(svg *)') !== null;
  const ancestors = (of: Element): Element[] => {
    const above: Element[] = [];
    for (let each: Element | null = of; each !== null; each = each.parentElement) above.push(each);
    return above;
  };
  const whole = { left: 0, right: Infinity, top: -Infinity, bottom: Infinity };

  /** Part of a box that its ancestors leave visible, and the one that cuts it off without a way to scroll; null without any. */
  const cut = (of: Element, box: Box): Readonly<{ box: Box; by: Element | null }> => {
    let [left, by]: [Box, Element | null] = [meet(box, whole), null];
    for (const each of ancestors(of)) {
      const { overflowX, overflowY, textOverflow, position } = getComputedStyle(each);
      if (position === 'fixed') break;
      if (overflowX === 'visible' && overflowY === 'visible') continue;
      if (each === document.documentElement || each === document.body) continue;
      if (each instanceof SVGElement && each.tagName !== 'svg') continue;
      const frame = each.getBoundingClientRect();
      const seen = meet(left, frame);
      const isHidden = (overflow: string) => overflow === 'hidden' || overflow === 'clip';
      const across =
        isHidden(overflowX) && (left.left < frame.left - slack || left.right > frame.right + slack);
      const down =
        isHidden(overflowY) && (left.top < frame.top - slack || left.bottom > frame.bottom + slack);
      const isToldOf =
        textOverflow === 'ellipsis' && (of.closest('[title]') !== null || of.closest('[tabindex]') === each);
      if (down || (across && !isToldOf)) by ??= each;
      left = seen;
    }
    return { box: left, by };
  };

  const found: string[] = [];
  const shown: Shown[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const of = node.parentElement;
    const text = near(node.textContent ?? '');
    if (of === null || text === '' || isLater(of)) continue;
    if (!of.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      if (!isSeen(rect) || rect.right <= 0) continue;
      const { box, by } = cut(of, rect);
      if (by !== null)
        found.push(`cut off: "${text}" by ${by.tagName.toLowerCase()}.${by.getAttribute('class') ?? ''}`);
      if (isSeen(box)) shown.push({ of, name: text, box, text: true });
    }
  }
  for (const of of document.querySelectorAll('svg.day-line, meter, button, input, select, img')) {
    if (!of.checkVisibility() || isLater(of)) continue;
    const { box } = cut(of, of.getBoundingClientRect());
    if (isSeen(box)) shown.push({ of, name: of.tagName.toLowerCase(), box, text: false });
  }

  const dialog = document.querySelector('dialog[open]');
  const layerOf = (of: Element) => of.closest('dialog[open]') ?? of.closest('.bar, thead, .tip') ?? null;
  shown.sort((one, other) => one.box.top - other.box.top);
  for (const [index, one] of shown.entries())
    for (let at = index + 1; at < shown.length; at++) {
      const other = shown[at];
      if (other === undefined || other.box.top >= one.box.bottom) break;
      if (!one.text && !other.text) continue;
      if (one.of === other.of || one.of.contains(other.of) || other.of.contains(one.of)) continue;
      if (dialog !== null && dialog.contains(one.of) !== dialog.contains(other.of)) continue;
      if (layerOf(one.of) !== layerOf(other.of)) continue;
      if (isSeen(meet(one.box, other.box))) found.push(`covered: "${one.name}" and "${other.name}"`);
    }
  return [...new Set(found)];
}
