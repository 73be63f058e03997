/** All views. What goes wrong is shown by each in the same way: its first line always, all of it when unfolded. */
import type { ShownCall, ToolView } from 'svc/sdk'
import { clarify, memory, message, sessions, todo, toolSearch } from './assistant.ts'
import { browser } from './browser.ts'
import { edit, read } from './files.ts'
import { media } from './media.ts'
import { code, processes, terminal } from './shell.ts'
import { firstLine, head } from './text.ts'
import { webPages, webSearch } from './web.ts'

const own: readonly ToolView[] = [
  read,
  edit,
  terminal,
  processes,
  code,
  webSearch,
  webPages,
  browser,
  todo,
  memory,
  sessions,
  clarify,
  message,
  media,
  toolSearch,
]

export const views: readonly ToolView[] = own.map((view) => ({
  ...view,
  body: (call) => view.body?.(call) ?? plainBody(call),
  inline: (call) => (call.state === 'failed' ? (view.inline?.(call) ?? failure(call)) : view.inline?.(call)),
}))

function plainBody({ text, progress }: ShownCall) {
  const said = text ?? progress ?? ''
  return said.trim() === '' ? undefined : ({ kind: 'text', text: head(said) } as const)
}

function failure({ text = '' }: ShownCall) {
  const said = firstLine(text)
  return said === '' ? undefined : ({ kind: 'text', text: said } as const)
}
