import type { ComponentChildren } from 'preact';

type FactProps = Readonly<{
  title: ComponentChildren;
  /** CSS class of the value, such as `loss`. */
  mark?: string;
  /** Smaller line below the value. */
  of?: ComponentChildren;
  children: ComponentChildren;
}>;

/** Value below its name, in a list of facts. */
export const Fact = ({ title, mark = '', of = null, children }: FactProps) => (
  <div>
    <dt>{title}</dt>
    <dd class={mark}>{children}</dd>
    {of === null ? null : <dd class="of">{of}</dd>}
  </div>
);
