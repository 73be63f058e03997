/** Facts of a conversation in the form of the protocol. */
import type { AvailableCommand, ContentBlock, PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk'
import { createTranslator, type ImageContent, Models, type PluginContext, Sessions, type Usage } from 'svc/sdk'
import { Commands } from 'svc/sdk/host'
import { SessionPlan } from 'svc/sdk/sessions'

type Context = PluginContext<undefined>

export function toText(text: string): ContentBlock {
  return { type: 'text', text }
}

export function toImage({ mediaType, data }: ImageContent): ContentBlock {
  return { type: 'image', mimeType: mediaType, data }
}

/** The steps of a session's plan. What was dropped is left out: the protocol has no word for it. */
export function listPlan(ctx: Context, sessionId: string): PlanEntry[] {
  const steps = ctx.use(Sessions).open(sessionId).state(SessionPlan) ?? []
  return steps.flatMap(({ content, status }): PlanEntry[] =>
    status === 'cancelled' ? [] : [{ content, status, priority: 'medium' }],
  )
}

/** How much of its window the model has read, and what the session cost; undefined where either is not known. */
export function toUsageUpdate(
  ctx: Context,
  sessionId: string,
  { usage, provider, model }: { readonly usage: Usage; readonly provider: string; readonly model: string },
): SessionUpdate | undefined {
  const size = ctx.find(Models)?.describe({ provider, model }).contextWindow
  if (usage.input === undefined || size === undefined) return undefined
  const { costUsd: amount } = ctx.use(Sessions).summary(sessionId).usage
  return {
    sessionUpdate: 'usage_update',
    used: usage.input + (usage.output ?? 0),
    size,
    ...(amount !== undefined && { cost: { amount, currency: 'USD' } }),
  }
}

/** The slash commands, as the user of the editor may type them. */
export function listCommands(ctx: Context): AvailableCommand[] {
  const t = createTranslator(ctx)
  return ctx
    .use(Commands)
    .on('cli')
    .map(({ name, description, argsHint }) => ({
      name,
      description: t(description),
      ...(argsHint !== undefined && { input: { hint: argsHint } }),
    }))
}
