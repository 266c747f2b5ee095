import { Words } from './words.tsx';

/** Reason why something could not be read; nothing where there is none. */
export const Problem = ({ text }: Readonly<{ text: string | null }>) =>
  text === null ? null : (
    <p class="loss" role="alert">
      <Words text={text} whole />
    </p>
  );
