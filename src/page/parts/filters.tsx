import { replaceHash } from '../browser.ts';
import { hashOf, type Place } from '../place.ts';
import { words } from './words.tsx';

/** Field of a filter. `choices`: the values that it has, if it has only some. */
export type FilterField = Readonly<{
  name: string;
  title: string;
  type?: 'text' | 'date';
  choices?: readonly string[];
  /** Words for a choice; itself without. */
  textOf?: (choice: string) => string;
  /** Choice that holds without one in the address; without it, all are shown. */
  needed?: string;
}>;

type FiltersProps = Readonly<{
  /** Name of these among several in a view. */
  name?: string;
  place: Place;
  fields: readonly FilterField[];
  /** Names of what the address says for other parts of the view. */
  kept?: readonly string[];
}>;

/** Fields that narrow a list. What is chosen stands in the address, so that it can be kept and passed on. */
export function Filters({ name, place, fields, kept = [] }: FiltersProps) {
  const others = [...place.query].filter(([name]) => kept.includes(name));
  const choose = (form: HTMLFormElement) => {
    const chosen = [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [],
    );
    replaceHash(hashOf({ ...place, query: new Map([...others, ...chosen]) }));
  };
  return (
    <form
      class="filters"
      role="search"
      aria-label={name}
      onChange={({ currentTarget }) => choose(currentTarget)}
      onSubmit={(event) => {
        event.preventDefault();
        choose(event.currentTarget);
      }}
    >
      {fields.map((field) => (
        <label key={field.name}>
          {field.title}
          <Field field={field} value={place.query.get(field.name) ?? ''} />
        </label>
      ))}
      {place.query.size === others.length ? null : (
        <a href={hashOf({ ...place, query: new Map(others) })}>Clear</a>
      )}
    </form>
  );
}

function Field({ field, value }: Readonly<{ field: FilterField; value: string }>) {
  const { name, type = 'text', choices, textOf = words, needed } = field;
  if (type === 'date') return <input type="date" name={name} value={value} />;
  if (choices === undefined) return <input name={name} value={value} maxLength={100} />;
  const known = value === '' || choices.includes(value) ? choices : [...choices, value];
  return (
    <select name={name} value={value === '' ? (needed ?? '') : value}>
      {needed === undefined ? <option value="">all</option> : null}
      {known.map((choice) => (
        <option key={choice} value={choice}>
          {textOf(choice)}
        </option>
      ))}
    </select>
  );
}
