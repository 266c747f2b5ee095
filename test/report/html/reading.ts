/** The ids of what is drawn. */
export const chartsOf = (page: string) =>
  [...page.matchAll(/<figure class="chart[^"]*" id="([^"]+)"/g)].map(([, id]) => id);
/** What is not drawn, and why. */
export const missingOf = (page: string): unknown =>
  Object.fromEntries(
    [...page.matchAll(/missing"><h3>(.*?)<\/h3><p class="none">Not drawn: (.*?)\.<\/p>/g)].map(
      ([, title, why]) => [title, why],
    ),
  );
/** What the script of the page gets. */
export const blockOf = (page: string, id: string): unknown =>
  JSON.parse(new RegExp(`id="data-${id}">(.*?)</script>`).exec(page)?.[1] ?? 'null');

/** Where the page, its own script apart, shows what is no value. */
export const slipsOf = (page: string) =>
  page.replace(/<script>.*?<\/script>/s, '').match(/.{0,60}(NaN|Infinity|undefined|\[object).{0,20}/g) ?? [];
