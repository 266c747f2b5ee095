/**
 * A text as a message shows it: in quotes, or when it has more characters than `most`, by their
 * number. Its beginning could be half of a secret, which nothing masks.
 */
export const shownText = (text: string, most: number): string =>
  text.length > most ? `a text of ${text.length} characters` : JSON.stringify(text);
