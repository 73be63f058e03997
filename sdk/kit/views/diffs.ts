/** Unified diffs of changed files, for people. */
import { head } from './text.ts'

/** The diff of one file. @since 0.1 */
export interface FileDiff {
  readonly path: string
  readonly diff: string
}

/** One diff as it is, several with the names of their files. Each is cut to what is shown. @since 0.1 */
export function formatDiffs(diffs: readonly FileDiff[]): string {
  if (diffs.length < 2) return head(diffs[0]?.diff ?? '')
  return diffs.map(({ path, diff }) => `--- ${path}\n+++ ${path}\n${head(diff)}`).join('\n')
}

/** `+3 -1`; undefined without a diff, or when one was cut and so does not tell how much changed. @since 0.1 */
export function countChanges(diffs: readonly FileDiff[]): string | undefined {
  const lines = diffs.flatMap(({ diff }) => head(diff).split('\n'))
  if (lines.length === 0 || lines.some((line) => /^(…|\.\.\. \d+ more lines)$/.test(line))) return undefined
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  return `+${count('+')} -${count('-')}`
}

/** The replacement of one text by another as a diff: a preview of a call. @since 0.1 */
export function formatReplacement(before: string, after: string): string {
  const [removed, added] = [before, after].map((text) => (text === '' ? [] : head(text).split('\n'))) as [
    string[],
    string[],
  ]
  const range = `@@ -1,${removed.length} +1,${added.length} @@`
  return [range, ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join('\n')
}
