/**
 * Makes a text harmless for the parser, whose time and stack grow with nesting: from some depth on, marks of lists and
 * quotations are ordinary characters, and lines are indented no deeper. No word is changed.
 */

/** Marks of containers that a line may begin with. */
const MAX_MARKS = 12
/** Columns that a line may be indented by; more in a fence, where blanks mean something. */
const MAX_INDENT = 32
const MAX_INDENT_IN_CODE = 120
/** How much of a line is searched for a fence. */
const LONGEST_BEGINNING = 160
const MARKS = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))+/
const MARK = />|[-+*]|\d{1,9}[.)]/g
const FENCE = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*[ \t>]*(`{3,}|~{3,})/
/** A line of these is a rule, however many they are. */
const RULE = /^[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$/

export function limitNesting(markdown: string): string {
  const text = markdown
    .replace(/\r\n?/g, '\n')
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
  let fence = ''
  const lines = text.split('\n').map((line) => {
    const [, opened = ''] = FENCE.exec(line.slice(0, LONGEST_BEGINNING)) ?? []
    if (fence !== '') {
      if (opened.startsWith(fence)) fence = ''
      return limitIndent(line, MAX_INDENT_IN_CODE)
    }
    fence = opened
    return RULE.test(line) && line.length < 200 ? line : limitMarks(limitIndent(line, MAX_INDENT))
  })
  return lines.join('\n')
}

function limitIndent(line: string, most: number): string {
  const blanks = line.length - line.trimStart().length
  return blanks > most ? ' '.repeat(most) + line.slice(blanks) : line
}

/** The first mark that is too many is escaped: with it the containers end, and the rest is text. */
function limitMarks(line: string): string {
  const [marks = ''] = MARKS.exec(line) ?? []
  if (marks.length <= MAX_MARKS) return line
  let count = 0
  for (const { index, 0: mark } of marks.matchAll(MARK)) {
    count += 1
    if (count > MAX_MARKS) return line.slice(0, index) + escapeMark(mark) + line.slice(index + mark.length)
  }
  return line
}

/** `12\.`: a backslash before a digit would be shown. */
const escapeMark = (mark: string) => `${mark.slice(0, -1)}\\${mark.slice(-1)}`
