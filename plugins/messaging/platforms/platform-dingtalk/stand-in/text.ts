/** What people see of the Markdown of robots (https://open.dingtalk.com/document/robots, "markdown"). */

/** A mark behind a backslash; a block of code; code; a link; marks of style, of a block, and of a line's end. */
const MARKS =
  /\\([\\*`_[\]#>])|```[^`\n]*\n([\s\S]*?)\n?```|`([^`\n]+)`|\[((?:\\.|[^[\]\\])*)\]\([^)]*\)|\*|^#{1,6} |^> | {2}$/gm

/** Words without marks. */
export function markdownWords(markdown: string): string {
  return markdown.replace(
    MARKS,
    (_all, escaped?: string, block?: string, code?: string, link?: string) =>
      escaped ?? block ?? code ?? (link === undefined ? '' : markdownWords(link)),
  )
}
