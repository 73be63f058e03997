/** Messages that are read with skills: those of slash commands, and those of chats and routes that name some. */
import type { PluginContext } from 'svc/sdk'
import { BeforeInboundMessage, BeforeUserInput } from 'svc/sdk/hooks'
import { Skills } from 'svc/sdk/skills'
import type { Config } from './config.ts'
import type { Expansions } from './expansions.ts'

export function expandMessages(ctx: PluginContext<Config>, expansions: Expansions): void {
  ctx.on(BeforeUserInput, (input, { sessionId }) => {
    const text = expansions.take(sessionId, input.text)
    return text === undefined ? undefined : { ...input, text }
  })
  ctx.on(BeforeInboundMessage, async (draft, { skills: wanted = [], platform }) => {
    if (wanted.length === 0) return undefined
    const { text, missing } = await ctx.use(Skills).load(wanted, { surface: platform })
    if (missing.length > 0) ctx.log.warn('a message asks for skills that are not there', { names: missing, platform })
    return text === '' ? undefined : { ...draft, text: `${text}\n\n${draft.text}` }
  })
}
