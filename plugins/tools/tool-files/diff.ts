/** Short unified diffs. */

const MAX_LINES = 200
const MAX_CHARACTERS = 10_000
/** Beyond this many changed lines looking for the smallest diff would take long. */
const MAX_EDITS = 2000

/** What changed between two texts. */
export interface Change {
  readonly added: number
  readonly removed: number
  /** Unified, cut when long. */
  readonly diff: string
}

/** Compares two texts; undefined when they differ too much for a diff to be of use. */
export async function compare(name: string, before: string, after: string): Promise<Change | undefined> {
  const { structuredPatch } = await import('diff')
  const patch = structuredPatch(name, name, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: MAX_EDITS,
  })
  if (patch === undefined) return undefined
  const body = patch.hunks.flatMap((hunk) => [
    `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`,
    ...hunk.lines.map((line) => line.replace(/\r$/, '')),
  ])
  const count = (sign: string) => patch.hunks.flatMap((hunk) => hunk.lines).filter((line) => line[0] === sign).length
  return { added: count('+'), removed: count('-'), diff: cut(body) }
}

/** In a unified diff a range of no lines is placed after the line before it. */
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`
}

function cut(lines: readonly string[]): string {
  const kept: string[] = []
  let characters = 0
  for (const line of lines) {
    characters += line.length + 1
    if (kept.length >= MAX_LINES || characters > MAX_CHARACTERS) break
    kept.push(line)
  }
  const left = lines.length - kept.length
  return left === 0 ? kept.join('\n') : [...kept, `... ${left} more lines`].join('\n')
}
