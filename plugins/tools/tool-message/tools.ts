/** The tool `send_message`. */
import { defineTool, errorCode, SvcError, type Tool, type ToolContext, type ToolResult } from 'svc/sdk'
import type { Outbox, OutboxTarget } from 'svc/sdk/platform'
import type { GuardedFiles } from 'svc/sdk/safety'
import { z } from 'zod'
import { messageView } from './view.ts'

const MAX_CHARS = 100_000
const MAX_FILES = 20
/** Destinations named in an answer. */
const MAX_NAMED = 50

const input = z.object({
  action: z.enum(['send', 'list']).default('send'),
  target: z.string().trim().optional().describe('platform or platform:chat; none: files go with your answer here'),
  message: z.string().max(MAX_CHARS).optional(),
  files: z.array(z.string().trim().min(1)).max(MAX_FILES).optional().describe('paths'),
})
type Input = z.infer<typeof input>

export interface MessageDeps {
  outbox(): Outbox | undefined
  files(): GuardedFiles | undefined
}

/** Makes the tool. A message carries the key of its call, so a call that is repeated sends nothing twice. */
export function messageTool(deps: MessageDeps): Tool {
  return defineTool<Input>({
    name: 'send_message',
    description: 'Send a message, files, or both to a chat of the user; list gives the targets.',
    input,
    effect: 'idempotent',
    toolset: 'messaging',
    reach: 'network',
    view: messageView,
    // A client of the API gets the answer there; a scheduled run has its own delivery.
    scope: { notOn: ['api', 'cron', 'subagent'] },
    acts: ({ files }) => ({ writes: [], ...(files?.length && { reads: files }) }),
    missing: () => (deps.outbox()?.destinations().length ? undefined : 'needs a connected chat platform'),
    run: async (asked, turn) => {
      const box = deps.outbox()
      if (!box) throw new SvcError('MESSAGE_NO_GATEWAY', 'Not sent: no gateway runs here, so nothing can be sent.')
      if (asked.action === 'list') return list(box)
      return asked.target
        ? send(box, { ...asked, target: asked.target }, { turn, guard: deps.files() })
        : attach(asked, turn, deps)
    },
  })
}

function list(outbox: Outbox): ToolResult {
  const all = outbox.destinations()
  const lines = all.slice(0, MAX_NAMED).map(({ target, label }) => `${target}  ${label}`)
  if (all.length > MAX_NAMED) lines.push(`and ${all.length - MAX_NAMED} more`)
  return { text: lines.join('\n') || 'There is no chat to write to.', data: { destinations: all } }
}

/** Files without a target belong to the answer that the person is about to get here. */
async function attach({ message, files = [] }: Input, turn: ToolContext, deps: MessageDeps): Promise<ToolResult> {
  if (files.length === 0) throw new SvcError('MESSAGE_INCOMPLETE', 'Not sent: the target is missing.')
  const { readFiles } = await import('./files.ts')
  const read = await readFiles(files, turn, deps.files())
  const named = read.map(({ path, name }, at) => ({ path, name, ...(at === 0 && message && { caption: message }) }))
  return { text: `Goes out with your answer: ${read.map(({ name }) => name).join(', ')}.`, files: named }
}

async function send(
  outbox: Outbox,
  { target, message = '', files = [] }: Input & { readonly target: string },
  { turn, guard }: { readonly turn: ToolContext; readonly guard: GuardedFiles | undefined },
): Promise<ToolResult> {
  if (!message.trim() && files.length === 0)
    throw new SvcError('MESSAGE_INCOMPLETE', 'Not sent: the message has neither words nor files.')
  const { readFiles } = await import('./files.ts')
  // A call that is repeated after a crash finds its files in the outbox, also when they have gone since.
  const isKnown = files.length > 0 && outbox.fileIds(turn.key).length === files.length
  const read = isKnown ? [] : await readFiles(files, turn, guard)
  const letters = read.map(({ path: _, ...letter }, at) => ({ ...letter, id: String(at) }))
  try {
    const { id, declined } = outbox.send({ target, text: message, key: turn.key, files: letters })
    const label = findLabel(outbox.destinations(), target)
    const refused = declined.map(({ name, reason }) => `\n${name} is only named there: ${reason}.`)
    const text = `Handed over for ${label}; it is sent as soon as the platform takes it.${refused.join('')}`
    return { text, data: { id, target, ...(files.length > 0 && { files: files.length - declined.length }) } }
  } catch (cause) {
    if (errorCode(cause) !== 'OUTBOX_TARGET_UNKNOWN') throw cause
    const names = outbox.destinations().map((one) => one.target)
    const known = names.slice(0, MAX_NAMED).join(', ') || 'none'
    const text = `Not sent: there is no chat "${target}". Targets: ${known}.`
    throw new SvcError('MESSAGE_TARGET_UNKNOWN', text, { status: 404, cause })
  }
}

function findLabel(all: readonly OutboxTarget[], target: string): string {
  const label = all.find((one) => one.target === target)?.label
  return label === undefined ? target : `${label} (${target})`
}
