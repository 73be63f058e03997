/** The tool `send_message`. */
import { type Destination, defineTool, errorCode, type Outbox, SvcError, type Tool, type ToolResult } from 'svc/sdk'
import { z } from 'zod'

const MOST_CHARS = 100_000
/** Destinations named in an answer. */
const MOST_NAMED = 50

const input = z.object({
  action: z.enum(['send', 'list']).default('send'),
  target: z.string().trim().optional().describe('platform or platform:chat'),
  message: z.string().max(MOST_CHARS).optional(),
})
type Input = z.infer<typeof input>

/** Makes the tool. A message carries the key of its call, so a call that is repeated sends nothing twice. */
export function messageTool(outbox: () => Outbox | undefined): Tool {
  return defineTool<Input>({
    name: 'send_message',
    description: 'Send a message to a chat of the user on another platform; list gives the targets.',
    input,
    effect: 'idempotent',
    toolset: 'messaging',
    reach: 'network',
    missing: () => (outbox()?.destinations().length ? undefined : 'needs a connected chat platform'),
    run: async (asked, { key }) => {
      const box = outbox()
      if (!box) throw new SvcError('MESSAGE_NO_GATEWAY', 'Not sent: no gateway runs here, so nothing can be sent.')
      return asked.action === 'list' ? list(box) : send(box, asked, key)
    },
  })
}

function list(outbox: Outbox): ToolResult {
  const all = outbox.destinations()
  const lines = all.slice(0, MOST_NAMED).map(({ target, label }) => `${target}  ${label}`)
  if (all.length > MOST_NAMED) lines.push(`and ${all.length - MOST_NAMED} more`)
  return { text: lines.join('\n') || 'There is no chat to write to.', data: { destinations: all } }
}

function send(outbox: Outbox, { target, message }: Input, key: string): ToolResult {
  if (!target || !message?.trim())
    throw new SvcError(
      'MESSAGE_INCOMPLETE',
      `Not sent: ${target ? 'the message has no words' : 'the target is missing'}.`,
    )
  try {
    const { id } = outbox.send({ target, text: message, key })
    const label = labelOf(outbox.destinations(), target)
    return { text: `Handed over for ${label}; it is sent as soon as the platform takes it.`, data: { id, target } }
  } catch (cause) {
    if (errorCode(cause) !== 'OUTBOX_TARGET_UNKNOWN') throw cause
    const names = outbox.destinations().map((one) => one.target)
    const known = names.slice(0, MOST_NAMED).join(', ') || 'none'
    const text = `Not sent: there is no chat "${target}". Targets: ${known}.`
    throw new SvcError('MESSAGE_TARGET_UNKNOWN', text, { status: 404, cause })
  }
}

function labelOf(all: readonly Destination[], target: string): string {
  const label = all.find((one) => one.target === target)?.label
  return label === undefined ? target : `${label} (${target})`
}
