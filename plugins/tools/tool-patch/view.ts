/** How changes of files are shown: their diffs, and before that what is wanted. */
import type { ToolCallView } from 'svc/sdk'
import {
  countChanges,
  type FileDiff,
  formatDiffs,
  formatReplacement,
  formatTitle,
  head,
  listIn,
  oneLine,
  textIn,
} from 'svc/sdk/kit/views'
import type { ToolCallDisplay } from 'svc/sdk/terminal'

/** Lines of a diff that are seen without unfolding. */
const INLINE_LINES = 40

export const patchView: ToolCallView = {
  counts: true,
  title({ input, data }) {
    const [first, ...others] = patchedPaths(input)
    return formatTitle(first, others.length > 0 ? `+${others.length}` : undefined, countChanges(readDiffs(data)))
  },
  inline({ state, data }) {
    const diff = formatDiffs(readDiffs(data))
    return state === 'done' && diff !== '' ? { kind: 'diff', text: head(diff, INLINE_LINES) } : undefined
  },
  body(call) {
    const diff = formatDiffs(readDiffs(call.data))
    if (call.state === 'done') return diff === '' ? undefined : { kind: 'diff', text: head(diff) }
    return call.state === 'failed' ? undefined : wantedBody(call)
  },
}

function readDiffs(data: unknown): readonly FileDiff[] {
  return listIn(data, 'files').flatMap((file) => {
    const diff = textIn(file, 'diff')
    return diff === undefined || diff === '' ? [] : [{ path: oneLine(textIn(file, 'path') ?? ''), diff }]
  })
}

function patchedPaths(input: unknown): readonly string[] {
  const path = textIn(input, 'path')
  if (path !== undefined) return [path]
  const patch = head(textIn(input, 'patch') ?? '')
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File:[ \t]*(\S.*)$/gm)].map((found) => found[1] ?? '')
}

/** What would be done, before it is. */
function wantedBody({ input }: ToolCallDisplay): ReturnType<NonNullable<ToolCallView['body']>> {
  const [before, after, patch] = ['old_string', 'new_string', 'patch'].map((key) => textIn(input, key))
  if (before !== undefined && after !== undefined) return { kind: 'diff', text: formatReplacement(before, after) }
  return patch === undefined ? undefined : { kind: 'text', text: head(patch) }
}
