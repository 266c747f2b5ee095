import type { ComponentChildren } from 'preact';

type Column = Readonly<{ title: string; isNumber?: boolean; unit?: string }>;
type Row = Readonly<{ key: string; cells: readonly ComponentChildren[] }>;

/** Table that scrolls by itself where it is wider than the screen. `empty`: words for no rows. */
export function Table(
  props: Readonly<{ name: string; columns: readonly Column[]; rows: readonly Row[]; empty: string }>,
) {
  const { name, columns, rows, empty } = props;
  if (rows.length === 0) return <p class="none">{empty}</p>;
  return (
    <div class="scroll" role="region" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, isNumber, unit }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : ''}>
                {title}
                {unit === undefined ? null : <small> {unit}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) => (
                <td key={index} class={columns[index]?.isNumber ? 'number' : ''}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
