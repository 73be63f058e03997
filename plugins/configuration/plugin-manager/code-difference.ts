/** Changed code, for people to look at before they agree: line by line where that is short. */
import { createTwoFilesPatch } from 'diff'
import { escapeUnseen } from 'svc/sdk/kit/terminal'
import type { ConsentChange } from 'svc/sdk/safety'

const MAX_LINES = 200
const MAX_FILES = 100

/** One line for each file, with its lines below when all of them together are few. */
export function differenceLines(changes: readonly ConsentChange[], maxLines: number = MAX_LINES): string[] {
  const patches = changes.map((change) => createPatch(change))
  const isShort = patches.reduce((sum, lines) => sum + lines.length, 0) <= maxLines
  const lines = changes.slice(0, MAX_FILES).flatMap(({ file, what }, at) => {
    const below = isShort ? (patches[at] ?? []) : []
    return [`${what}: ${escapeUnseen(file)}`, ...below.map((line) => `  ${escapeUnseen(line.replaceAll('\t', '  '))}`)]
  })
  if (changes.length > MAX_FILES) lines.push(`and ${changes.length - MAX_FILES} more files`)
  return isShort ? lines : [...lines, `The difference is longer than ${maxLines} lines; look at the files themselves.`]
}

/** Empty for what is not shown: large files, and files that are no text. */
function createPatch({ what, before, after }: ConsentChange): string[] {
  const isKnown =
    what === 'added'
      ? after !== undefined
      : what === 'removed'
        ? before !== undefined
        : before !== undefined && after !== undefined
  if (!isKnown) return []
  const patch = createTwoFilesPatch('', '', before ?? '', after ?? '', undefined, undefined, { context: 2 })
  return patch
    .split('\n')
    .slice(4)
    .filter((line) => line !== '')
}
