/** How many items from the first on are so, where none after them is: by halving, so the rest of them are not looked at. */
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
