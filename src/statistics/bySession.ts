/** Sums of what happened up to each mark since the one before; what came after the last belongs to it. Marks in the order of time, events nearly so. */
export function sumBySession<Event extends Readonly<{ at: number }>>(
  marks: readonly Readonly<{ at: number }>[],
  events: readonly Event[],
  valueOf: (event: Event) => number,
): Float64Array {
  const sums = new Float64Array(marks.length);
  let place = 0;
  for (const event of events) {
    while (place < marks.length - 1 && (marks[place]?.at ?? NaN) < event.at) place++;
    while (place > 0 && (marks[place - 1]?.at ?? NaN) >= event.at) place--;
    sums[place] = (sums[place] ?? NaN) + valueOf(event);
  }
  return sums;
}
