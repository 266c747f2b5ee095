import { replaceHash } from '../browser.ts';
import { hashOf, type Place } from '../place.ts';
import { words } from './words.tsx';

/** Field of a filter. `choices`: its possible values, if they are limited. */
export type FilterField = Readonly<{
  name: string;
  title: string;
  type?: 'text' | 'date';
  choices?: readonly string[];
  /** Text for a choice; by default the choice itself. */
  textOf?: (choice: string) => string;
  /** Default choice if the URL has none; without a default, all are shown. */
  needed?: string;
}>;

type FiltersProps = Readonly<{
  /** Name of this filter if a view has several. */
  name?: string;
  place: Place;
  fields: readonly FilterField[];
  /** Query names in the URL that belong to other parts of the view. */
  kept?: readonly string[];
}>;

/** Fields that filter a list. The selection is stored in the URL, so that it can be bookmarked and shared. */
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
