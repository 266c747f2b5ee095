const AMOUNTS = /\d[\d.,:-]*/g;

/** Reason with its amounts replaced, so that equal reasons can be counted: `bought at 95.61` as `bought at …`. */
export const withoutAmounts = (text: string): string => text.replace(AMOUNTS, '…');
