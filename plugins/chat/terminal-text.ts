/** Text from a model, a tool or the disk, made safe for a terminal: nothing in it moves the cursor or sets a title. */

/** Without control characters, except line breaks and tabs. Works piece by piece on a stream. */
export function terminalText(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}
