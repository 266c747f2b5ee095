import { useLayoutEffect, useRef } from 'preact/hooks';
import { attach } from '../../figures/attach/attach.ts';
import { PIN_SHAPES } from '../../figures/candles.ts';
import { join, type Markup } from '../../figures/markup.ts';
import type { Range } from '../../figures/scale.ts';
import { DARK_COLOURS, FIGURE_STYLE, LIGHT_COLOURS } from '../../figures/style.ts';
import { addStyle } from '../browser.ts';

/** Elements that use the colours of figures: the figures, the tooltip, and a legend beside them. */
const COLOURED = ':is(.charts, .tip, .keyed)';

addStyle(`${COLOURED} {${LIGHT_COLOURS}}
@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) ${COLOURED} {${DARK_COLOURS}} }
:root[data-theme=dark] ${COLOURED} {${DARK_COLOURS}}
${FIGURE_STYLE}`);

/** Range that a figure shows; null if it shows everything. */
type Selection = Readonly<{ id: string; range: Range; span: number }> | null;

type FiguresProps = Readonly<{ figures: readonly Markup[]; id: string; sessions?: readonly string[] }>;

/**
 * Figures drawn by the functions of the report, whose markup escapes all text. New numbers preserve the visible range and open
 * tables; a range that reached the end stays at the end. `id`: of the figure with a range. `sessions`: dates that figures
 * refer to by index.
 */
export function Figures({ figures, id, sessions }: FiguresProps) {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<Selection>(null);
  const open = useRef<ReadonlySet<string>>(new Set());
  const { markup } = join([PIN_SHAPES, ...figures]);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    element.innerHTML = markup;
    const attached = attach(element, sessions);
    const tables = [...element.querySelectorAll<HTMLDetailsElement>('details.numbers')];
    for (const table of tables) table.open = open.current.has(table.dataset['table'] ?? '');
    const axis = attached.axisOf(id);
    if (axis && shown.current?.id === id) {
      const { range, span } = shown.current;
      const moved = range.to >= span ? axis.span - span : 0;
      axis.show({ from: range.from + moved, to: range.to + moved });
    }
    return () => {
      open.current = new Set(tables.flatMap((table) => (table.open ? (table.dataset['table'] ?? '') : [])));
      shown.current = axis && !axis.isWhole ? { id, range: axis.range, span: axis.span } : null;
      attached.detach();
    };
  }, [markup, id]);
  return <div ref={place} class="charts" />;
}
