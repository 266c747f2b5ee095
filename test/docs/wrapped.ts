const COLUMNS = 118;

/** Text in lines of at most 118 columns, all but the first indented as the body of a list item. No line begins or ends with `<`. */
export function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/(?<!<) (?!<)/)) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length < COLUMNS)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(line === undefined ? word : `  ${word}`);
  }
  return lines.join('\n');
}
