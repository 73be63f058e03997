/** Writing text so that a POSIX shell reads it back unchanged. */

/** One word in single quotes. The text must not hold NUL, which no shell can take. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
