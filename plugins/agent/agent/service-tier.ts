/** The tier in which a model is asked. It is a parameter of the request and not part of the prompt. */
import { defineSessionState, type PluginContext, type SessionState, type TurnEventData } from 'svc/sdk'
import type { ServiceTier } from 'svc/sdk/sessions'
import type { Config } from './config.ts'
import type { Turn } from './turn.ts'

/** What a session was told: once for each model and tier. */
const Told: SessionState<readonly string[]> = defineSessionState('agent:tiers-told', {
  undo: 'keeps',
  parse: (value) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string') ? (value as string[]) : undefined,
})
const MAX_TOLD = 50

/** The tier to ask for, for the request. What the model does not have is not sent, and that is said. */
export function chooseTier(ctx: PluginContext<Config>, turn: Turn): { readonly serviceTier?: ServiceTier } {
  const asked = turn.options.serviceTier ?? readConfigured(ctx.config.service_tier)
  const { provider, model } = turn.choice
  if (asked === undefined) return {}
  if (provider.tiers?.(model).includes(asked)) return { serviceTier: asked }
  if (asked === 'default') return {}
  const notice = tellOnce(turn, asked, `${model} of ${provider.label} has no ${asked} tier; it is asked as usual.`)
  if (notice) turn.record([notice])
  return {}
}

/** Said when the service used another tier than the one that was asked for. */
export function noticeOtherTier(
  turn: Turn,
  asked: ServiceTier | undefined,
  used: ServiceTier | undefined,
): TurnEventData | undefined {
  if (asked === undefined || used === undefined || asked === used) return undefined
  const { provider, model } = turn.choice
  return tellOnce(turn, asked, `${provider.label} ran ${model} in its ${used} tier instead of ${asked}.`)
}

function readConfigured(tier: Config['service_tier']): ServiceTier | undefined {
  return tier === 'fast' ? 'priority' : tier
}

function tellOnce({ session, choice }: Turn, tier: ServiceTier, text: string): TurnEventData | undefined {
  const what = `${choice.provider.name}/${choice.model} ${tier}`
  const told = session.state(Told) ?? []
  if (told.includes(what)) return undefined
  session.setState(Told, [...told, what].slice(-MAX_TOLD))
  return { type: 'notice', text }
}
