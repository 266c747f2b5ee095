import type { ComponentChildren } from 'preact';

type FactProps = Readonly<{
  title: ComponentChildren;
  /** Class of the value, as `loss`. */
  mark?: string;
  /** Smaller line below it. */
  of?: ComponentChildren;
  children: ComponentChildren;
}>;

/** Value under its name, in a list of them. */
export const Fact = ({ title, mark = '', of = null, children }: FactProps) => (
  <div>
    <dt>{title}</dt>
    <dd class={mark}>{children}</dd>
    {of === null ? null : <dd class="of">{of}</dd>}
  </div>
);
