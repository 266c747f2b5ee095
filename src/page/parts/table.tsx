import type { ComponentChildren } from 'preact';

/** Column of a table. `isLong`: on a narrow screen its cells get their own line. */
type Column = Readonly<{ title: string; isNumber?: boolean; unit?: string; isLong?: boolean }>;
/** Row of a table. `steering`: its buttons; null or absent if there are none. */
type Row = Readonly<{ key: string; cells: readonly ComponentChildren[]; steering?: ComponentChildren }>;

type TableProps = Readonly<{
  name: string;
  columns: readonly Column[];
  rows: readonly Row[];
  /** Text if there are no rows. */
  empty: string;
}>;

/**
 * Table that scrolls on its own if it is wider than the screen. On a narrow screen each row is a block in which every cell has
 * its title; roles keep it a table for screen readers.
 */
export function Table({ name, columns, rows, empty }: TableProps) {
  const isSteered = rows.some(({ steering }) => (steering ?? null) !== null);
  if (rows.length === 0) return <p class="none">{empty}</p>;
  return (
    <div class="scroll" role="region" aria-label={name} tabIndex={0}>
      <table role="table" class="blocks">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, isNumber, unit }) => (
              <th key={title} role="columnheader" scope="col" class={isNumber ? 'number' : ''}>
                {title}
                {unit === undefined ? null : <small> {unit}</small>}
              </th>
            ))}
            {isSteered ? (
              <th role="columnheader" scope="col">
                Steer
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(({ key, cells, steering }) => (
            <tr key={key} role="row">
              {cells.map((cell, index) => (
                <Cell key={index} column={columns[index]}>
                  {cell}
                </Cell>
              ))}
              {isSteered ? (
                <td role="cell" class="buttons">
                  {steering}
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ column, children }: Readonly<{ column: Column | undefined; children: ComponentChildren }>) {
  const { title = '', unit, isNumber, isLong } = column ?? {};
  return (
    <td
      role="cell"
      class={`${isNumber ? 'number' : ''} ${isLong ? 'wide' : ''}`.trim()}
      data-title={unit === undefined ? title : `${title}, ${unit}`}
    >
      {children}
    </td>
  );
}
