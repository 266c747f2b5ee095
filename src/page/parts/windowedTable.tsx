import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { browser } from '../browser.ts';
import type { Connection, EntryView } from '../connection/connection.ts';
import type { Place } from '../place.ts';
import { isNarrow } from './words.tsx';
import { Pages } from './pages.ts';

/** Height of a row in px; on a narrow screen of one line of a row, and of the space around them: matches the style sheet. */
const ROW_PX = 32;
const NARROW_LINE_PX = 36;
const NARROW_EDGE_PX = 16;
/** Number of units into which a narrow screen is divided for placing the cells of a row, line by line. */
const PARTS = 6;
/** Number of rows per page. */
const COUNT = 500;
/** Number of rows rendered beyond each edge, and of remaining rows at which the next page is read. */
const BEYOND = 8;
const AHEAD = 40;

/**
 * Column of a list. `isNumber`: its cells are right-aligned. `span`: sixths of a narrow screen that a cell takes there, below its
 * title; 12 are two whole lines. Without it, the column is hidden there.
 */
export type ListColumn<Row> = Readonly<{
  title: string;
  unit?: string;
  isNumber?: boolean;
  span?: 1 | 2 | 3 | 4 | 12;
  cell: (row: Row) => ComponentChildren;
}>;

type ListProps<Row extends Readonly<{ seq: number }>> = Readonly<{
  name: string;
  /** Plural name of the rows, on the page and in search responses. */
  rowsName: 'orders' | 'entries';
  pages: Pages<Row>;
  columns: readonly ListColumn<Row>[];
  /** Text if there are no rows. */
  empty: string;
}>;

type SearchProps<Row extends Readonly<{ seq: number }>> = Omit<ListProps<Row>, 'pages'> &
  Readonly<{
    daemon: Connection;
    place: Place;
    /** Rows to search. */
    of: 'orders' | 'journal';
    /** True for an entry after which there may be newer rows. */
    isNews: (entry: EntryView) => boolean;
  }>;

type SearchPage<Row> = Readonly<Record<'orders' | 'entries', readonly Row[]> & { next: number | null }>;

/** List of search results for the query in the URL, newest first. */
export function SearchList<Row extends Readonly<{ seq: number }>>({
  daemon,
  place,
  of,
  isNews,
  ...list
}: SearchProps<Row>) {
  const search = new URLSearchParams([...place.query, ['count', String(COUNT)]]).toString();
  const pages = useMemo(() => {
    const read = async (before: number | null) => {
      const from = before === null ? '' : `&before=${before}`;
      const page = await daemon.get<SearchPage<Row>>(`v1/${of}/search?${search}${from}`);
      return { rows: page[list.rowsName], next: page.next };
    };
    return new Pages<Row>(read, browser);
  }, [daemon, search]);
  useEffect(() => {
    const unlisten = daemon.onEntry((entry) => {
      if (isNews(entry)) pages.unseen.value++;
    });
    return () => {
      unlisten();
      pages.close();
    };
  }, [daemon, pages]);
  return <WindowedTable key={search} pages={pages} {...list} />;
}

const narrowPx = (columns: readonly Pick<ListColumn<never>, 'span'>[]): number =>
  (columns.reduce((sum, { span = 0 }) => sum + span, 0) / PARTS) * NARROW_LINE_PX + NARROW_EDGE_PX;

/** List of any length: only visible rows are in the document, and older ones are read while scrolling. */
function WindowedTable<Row extends Readonly<{ seq: number }>>({
  name,
  rowsName,
  pages,
  columns,
  empty,
}: ListProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  const rowPx = isNarrow.value ? narrowPx(columns) : ROW_PX;
  const rows = pages.rows.value;
  const first = Math.max(0, Math.floor(top.value / rowPx) - BEYOND);
  const last = Math.min(rows.length, Math.ceil((top.value + height.value) / rowPx) + BEYOND);
  const isReading = pages.isReading.value;
  useEffect(() => {
    if (last >= rows.length - AHEAD && !isReading) void pages.more();
  }, [pages, last, rows.length, isReading]);
  useEffect(() => {
    if (pages.unseen.value > 0 && top.value < rowPx) pages.plan();
  }, [pages, pages.unseen.value, top.value]);
  const showNewest = () => {
    scroller.current?.scrollTo({ top: 0 });
    void pages.refresh();
  };
  const seen = (element: HTMLElement) => {
    top.value = element.scrollTop;
    height.value = element.clientHeight;
  };
  return (
    <>
      <ListState
        pages={pages}
        rowsName={rowsName}
        isAtTop={top.value < rowPx}
        showNewest={showNewest}
        empty={empty}
      />
      <div
        ref={scroller}
        class="scroll list"
        role="region"
        aria-label={name}
        tabIndex={0}
        onScroll={({ currentTarget }) => seen(currentTarget)}
      >
        <table role="table" aria-rowcount={pages.isWhole ? rows.length + 1 : -1}>
          <Titles columns={columns} />
          <tbody role="rowgroup">
            <Gap px={first * rowPx} />
            {rows.slice(first, last).map((row, index) => (
              <ListRow key={row.seq} row={row} index={first + index + 2} columns={columns} />
            ))}
            <Gap px={(rows.length - last) * rowPx} />
          </tbody>
        </table>
      </div>
    </>
  );
}

const classOf = ({ isNumber, span }: Pick<ListColumn<never>, 'isNumber' | 'span'>): string =>
  [...(isNumber ? ['number'] : []), span === undefined ? 'minor' : `span${span}`].join(' ');

const Titles = <Row,>({ columns }: Readonly<{ columns: readonly ListColumn<Row>[] }>) => (
  <thead role="rowgroup">
    <tr role="row" aria-rowindex={1}>
      {columns.map(({ title, unit, ...column }) => (
        <th key={title} role="columnheader" scope="col" class={classOf(column)}>
          {title}
          {unit === undefined ? null : <small> {unit}</small>}
        </th>
      ))}
    </tr>
  </thead>
);

type ListRowProps<Row> = Readonly<{ row: Row; index: number; columns: readonly ListColumn<Row>[] }>;

const ListRow = <Row,>({ row, index, columns }: ListRowProps<Row>) => (
  <tr role="row" aria-rowindex={index}>
    {columns.map(({ title, unit, cell, ...column }) => (
      <td
        key={title}
        role="cell"
        class={classOf(column)}
        data-title={unit === undefined ? title : `${title}, ${unit}`}
      >
        {cell(row)}
      </td>
    ))}
  </tr>
);

/** Space of rows that are not rendered. */
const Gap = ({ px }: Readonly<{ px: number }>) =>
  px <= 0 ? null : (
    <tr class="gap" aria-hidden="true">
      <td style={{ height: `${px}px` }} />
    </tr>
  );

type ListStateProps = Readonly<{
  rowsName: ListProps<never>['rowsName'];
  pages: Pages<Readonly<{ seq: number }>>;
  isAtTop: boolean;
  showNewest: () => void;
  empty: string;
}>;

/** Line above a list: number of rows, whether there are more, and what has happened since. */
function ListState({ rowsName, pages, isAtTop, showNewest, empty }: ListStateProps) {
  const { length } = pages.rows.value;
  const problem = pages.problem.value;
  const count = `${length.toLocaleString('en-US')} ${rowsName}${pages.isWhole ? '' : ' so far'}`;
  const text = pages.isReading.value ? `${count}, reading…` : length === 0 ? empty : count;
  return (
    <p class="of list-state" role="status">
      <span class={problem === null ? '' : 'loss'}>{problem ?? text}</span>
      {problem !== null || (pages.unseen.value > 0 && !isAtTop) ? (
        <button type="button" onClick={showNewest}>
          {problem === null ? 'Show newer' : 'Try again'}
        </button>
      ) : null}
    </p>
  );
}
