import type { ComponentChildren } from 'preact';

type Column = Readonly<{ title: string; isNumber?: boolean; unit?: string }>;
/** Row of a table. `steering`: its buttons; null or absent without any. */
type Row = Readonly<{ key: string; cells: readonly ComponentChildren[]; steering?: ComponentChildren }>;

/** Table that scrolls by itself where it is wider than the screen. `empty`: words for no rows. */
export function Table(
  props: Readonly<{ name: string; columns: readonly Column[]; rows: readonly Row[]; empty: string }>,
) {
  const { name, columns, rows, empty } = props;
  const isSteered = rows.some(({ steering }) => (steering ?? null) !== null);
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
            {isSteered ? <th scope="col">Steer</th> : null}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells, steering }) => (
            <tr key={key}>
              {cells.map((cell, index) => (
                <td key={index} class={columns[index]?.isNumber ? 'number' : ''}>
                  {cell}
                </td>
              ))}
              {isSteered ? <td class="buttons">{steering}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
