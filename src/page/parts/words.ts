import { printable } from '../../core/printable.ts';

/** Text of others as the page shows it: marks that would reorder or hide what stands around it are escaped. */
export const words = (text: string): string => printable(text);
