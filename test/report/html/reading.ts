/** The ids of the drawn charts. */
export const chartsOf = (page: string) =>
  [...page.matchAll(/<figure class="chart[^"]*" id="([^"]+)"/g)].map(([, id]) => id);
/** The charts that are not drawn, with their reasons. */
export const missingOf = (page: string): unknown =>
  Object.fromEntries(
    [...page.matchAll(/<li><b>([^<]*)<\/b>: ([^<]*)\.<\/li>/g)].map(([, title, why]) => [title, why]),
  );
/** Data that the page passes to its script. */
export const blockOf = (page: string, id: string): unknown =>
  JSON.parse(new RegExp(`id="data-${id}">(.*?)</script>`).exec(page)?.[1] ?? 'null');

/** Rows of a chart by rows: name and numbers. */
export function rowsOf(page: string, id: string): string[][] {
  const chart = new RegExp(`<figure [^>]*id="${id}">(.*?)</figure>`, 's').exec(page)?.[1] ?? '';
  return [...chart.matchAll(/<tr><th scope="row"[^>]*>(.*?)<\/th>(.*?)<\/tr>/gs)].map(
    ([, name = '', cells = '']) => [
      name,
      ...[...cells.matchAll(/<td>(.*?)<\/td>/gs)].map(([, cell = '']) => cell),
    ],
  );
}

/** Amount as a report writes it, as a number. */
export const amountOf = (text = ''): number => Number(text.replace('−', '-').replaceAll(',', ''));

/** Places where the page, apart from its own script, shows an undefined value. */
export const slipsOf = (page: string) =>
  page.replace(/<script>.*?<\/script>/s, '').match(/.{0,60}(NaN|Infinity|undefined|\[object).{0,20}/g) ?? [];
