/** What happened up to each mark since the one before; what came after the last belongs to it. Both in the order of time. */
export function sessionsOf<Event extends Readonly<{ at: number }>>(
  marks: readonly Readonly<{ at: number }>[],
  events: readonly Event[],
): Event[][] {
  const sessions = marks.map((): Event[] => []);
  for (const event of events) {
    let [low, high] = [0, marks.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((marks[middle]?.at ?? NaN) >= event.at) high = middle;
      else low = middle + 1;
    }
    sessions[low]?.push(event);
  }
  return sessions;
}
