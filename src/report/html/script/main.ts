import { attach } from '../../../figures/attach/attach.ts';
import { onScrolling } from './scrolling.ts';
import { onSections } from './sections.ts';
import { onTheme } from './theme.ts';
import { onTradeList } from './tradeList.ts';

/** Data of the page: dates of the sessions of the run. */
type PageData = Readonly<{ sessions: readonly string[] }>;

const { sessions } = JSON.parse(document.getElementById('data-page')?.textContent ?? '') as PageData;
const figures = attach(document, sessions);
for (const table of document.querySelectorAll<HTMLTableElement>('[data-list]'))
  onTradeList(table, figures.showTrade);
onTheme();
onScrolling();
onSections();
document.documentElement.classList.add('js');
