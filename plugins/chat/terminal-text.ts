/** Text from a model, a tool or the disk, made safe for a terminal: nothing in it moves the cursor or sets a title. */

/**
 * Without control characters, except line breaks and tabs, and without what turns the direction of text around (Unicode
 * UAX #9, explicit formatting). Works piece by piece on a stream.
 */
export function terminalText(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '')
}

/** One line of JSON that is safe to be looked at: what a terminal would obey is written as `\\uXXXX`, so the value is the same. */
export function terminalJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
