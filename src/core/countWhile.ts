/** Number of leading items that pass a test that no later item passes, found by bisection. */
export function countWhile<Item>(
  items: ArrayLike<Item>,
  holds: (item: Item, index: number) => boolean,
): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && holds(item, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
