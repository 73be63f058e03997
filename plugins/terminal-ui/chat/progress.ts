/** Turn events as short lines for people. */
import { type PluginContext, type ResultFile, type ToolCallView, Tools, type Translate, type TurnEvent } from 'svc/sdk'
import { safePiece } from 'svc/sdk/kit/terminal'
import { findView, formatCall, startCall, type TrackedCall } from 'svc/sdk/kit/views'
import { ToolRenderers } from 'svc/sdk/terminal'

const MAX_LINE = 120

/** How calls of a tool are shown. */
export type FindView = (tool: string) => ToolCallView | undefined

/** The views of the tools that are there. */
export function toolViews(ctx: PluginContext<undefined>): FindView {
  return (name) => findView({ tools: ctx.all(Tools), views: ctx.all(ToolRenderers) }, name)
}

/** The line for an event, or undefined for one that needs none. Control characters never reach the terminal. */
export function progressLine(event: TurnEvent, t: Translate, view: FindView): string | undefined {
  switch (event.type) {
    case 'notice':
      return safePiece(event.text)
    case 'error':
      return t('error: {text}', { text: `${event.message} (${event.code})` })
    case 'tool.start':
      return callLine(startCall(event, { before: undefined, parent: undefined }), view)
    case 'turn.resume':
      return t('(svc stopped in the middle of this turn; continuing)')
    case 'steer':
      return `> ${oneLine(event.text)}`
    case 'subagent.start':
      return `· ${t('subagent {goal}', { goal: oneLine(event.goal) })}`
    case 'subagent.complete':
      return event.ok ? undefined : `  ${t('subagent failed: {text}', { text: oneLine(event.text) })}`
    case 'tool.complete':
      return event.ok ? fileLines(event.files) : `  ${t('failed: {text}', { text: oneLine(event.text) })}`
    default:
      return undefined
  }
}

/** What a call does. */
export function callLine(call: TrackedCall, view: FindView): string {
  return `· ${oneLine(formatCall(call, view(call.call.name), { most: MAX_LINE }))}`
}

/** Files for the person, by their paths: a terminal cannot show them. Whole, so that they can be copied. */
function fileLines(files: readonly ResultFile[] = []): string | undefined {
  if (files.length === 0) return undefined
  return files.map(({ path }) => `📎 ${safePiece(path).replace(/\s*\n\s*/g, ' ')}`).join('\n')
}

/** At most one line of 120 characters. */
export function oneLine(text: string): string {
  const flat = safePiece(text).replace(/\s+/g, ' ').trim()
  return flat.length > MAX_LINE ? `${flat.slice(0, MAX_LINE - 1)}…` : flat
}
