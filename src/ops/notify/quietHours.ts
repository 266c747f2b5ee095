import { orElse } from '../../core/errors.ts';
import type { EpochMs } from '../../core/brand.ts';

/** Hours in which a channel is silent. `from`, `to`: minute of the day in `zone`; the range may span midnight. */
export type QuietHours = Readonly<{
  from: number;
  to: number;
  zone: string;
  /** True if alarms are sent at any hour. */
  exceptAlarms: boolean;
}>;

const HOUR_MINUTES = 60;

/** Time formatters by zone, which are expensive to create. */
const forms = new Map<string, Intl.DateTimeFormat>();

function formOf(zone: string): Intl.DateTimeFormat {
  const known = forms.get(zone);
  if (known) return known;
  const form = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  forms.set(zone, form);
  return form;
}

export const isZone = (name: string): boolean => orElse(() => formOf(name), null) !== null;

/** True within the quiet hours, by the wall clock of their zone. */
export function isQuiet({ from, to, zone }: QuietHours, now: EpochMs): boolean {
  const [hour, minute] = formOf(zone).format(now).split(':').map(Number);
  const at = (hour ?? 0) * HOUR_MINUTES + (minute ?? 0);
  return from <= to ? from <= at && at < to : at >= from || at < to;
}
