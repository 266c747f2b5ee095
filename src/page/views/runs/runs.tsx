import { hashOf } from '../../place.ts';
import { ComparisonView } from './comparison.tsx';
import { RunListView } from './runList.tsx';
import { RunPage } from './run.tsx';
import type { ViewProps } from '../viewProps.ts';

/** Runs that have a record: all of them, one, or two side by side. */
export function Runs({ daemon, place }: ViewProps) {
  const { id, query, base } = place;
  const [a, b] = [query.get('a'), query.get('b')];
  if (id === null && (a === undefined || b === undefined))
    return <RunListView daemon={daemon} place={place} />;
  return (
    <>
      <p class="first">
        <a href={hashOf({ base, view: 'runs' })}>All runs</a>
      </p>
      {id === null ? (
        <ComparisonView key={`${a} ${b}`} daemon={daemon} base={base} a={a ?? ''} b={b ?? ''} />
      ) : (
        <RunPage key={id} daemon={daemon} base={base} id={id} />
      )}
    </>
  );
}
