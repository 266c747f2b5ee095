import { createHash } from 'node:crypto';
import { PIN_SHAPES } from '../../figures/candles.ts';
import { dataBlock, markup, type Markup } from '../../figures/markup.ts';
import { STYLE } from './style.ts';

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Content security policy: nothing is fetched, and no script runs but the page's own. */
const policyOf = (script: string): string =>
  `default-src 'none'; script-src ${sha256(script)}; style-src ${sha256(STYLE)}; base-uri 'none'; form-action 'none'`;

export type Part = Readonly<{ id: string; title: string; content: Markup }>;

/** Contents of a report. `of`: line under the title. `top`: block after that line. */
export type ReportDocument = Readonly<{
  /** Window title. */
  name: string;
  title: string;
  of: Markup;
  top: Markup;
  parts: readonly Part[];
  footer: string;
  /** Dates shared by the figures over sessions. */
  dates: readonly string[];
}>;

/**
 * Self-contained page with navigation, sections and footer, without network access.
 * @param script built from `script/main.ts`; without it the page can be read, but not zoomed, sorted or searched
 */
export const documentOf = (
  { name, title, of, top, parts, footer, dates }: ReportDocument,
  script: string,
): string =>
  markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${{ markup: policyOf(script) }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<style>${{ markup: STYLE }}</style>
</head>
<body>
${PIN_SHAPES}
<header>
<div class="top"><div><h1>${title}</h1><p class="of">${of}</p></div><button type="button" id="theme" class="scripted">Theme: auto</button></div>
${top}
</header>
<nav aria-label="Parts of the report"><ul>${parts.map(({ id, title: part }) => markup`<li><a href="#${id}">${part}</a></li>`)}</ul></nav>
<main>
${parts.map(({ id, title: part, content }) => markup`<section id="${id}"><h2>${part}</h2>\n${content}</section>\n`)}</main>
<footer>${footer} Drag over a chart to enlarge a part, then drag to move it; Ctrl and wheel, two fingers or + and − enlarge, a double click or 0 shows all; arrow keys move along a chart.</footer>
${dataBlock('data-page', { sessions: dates })}
<script>${{ markup: script }}</script>
</body>
</html>
`.markup;
