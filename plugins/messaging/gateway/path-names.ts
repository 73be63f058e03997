/** Reduces paths of local files to their names in chats: the folders are of no use there and not public. */

/** An absolute path of at least two parts; not the path of a URL, and not a slash command. */
const PATH = /(?<=^|[\s"'`(])(?:\/[^\s"'`()/]+){2,}\/?|(?<=^|[\s"'`(])[A-Z]:\\[^\s"'`()]+/g

/** The text with each path cut to its last part. */
export function withoutPaths(text: string): string {
  return text.replace(PATH, (path) => {
    const whole = path.replace(/[.,:;!?]+$/, '')
    const name =
      whole
        .replace(/[/\\]+$/, '')
        .split(/[/\\]/)
        .at(-1) ?? ''
    return `…/${name}${path.slice(whole.length)}`
  })
}
