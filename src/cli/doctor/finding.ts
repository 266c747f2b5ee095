export type Verdict = 'ok' | 'warn' | 'fail';

/** What one check found. `remedy` says what to do; null when there is nothing to do. */
export type Finding = Readonly<{ check: string; verdict: Verdict; detail: string; remedy: string | null }>;

export const ok = (check: string, detail: string): Finding => ({
  check,
  verdict: 'ok',
  detail,
  remedy: null,
});

type Trouble = Readonly<{ detail: string; remedy: string }>;
export const warn = (check: string, trouble: Trouble): Finding => ({ check, verdict: 'warn', ...trouble });
export const fail = (check: string, trouble: Trouble): Finding => ({ check, verdict: 'fail', ...trouble });
