/** The parts of the system prompt as they are now, with the plugins that they come from. */
import {
  errorMessage,
  logFault,
  type PluginContext,
  type PromptPart,
  PromptParts,
  SelectTools,
  Tools,
  type TurnContext,
} from 'svc/sdk'
import type { Config } from './config.ts'

/** One part's text. Empty when it stays out. */
export interface PartText {
  readonly name: string
  readonly tier: NonNullable<PromptPart['tier']>
  readonly plugin: string
  readonly text: string
  /** The error, if it threw. */
  readonly failed?: string
}

/** See `Ordered` of the SDK. */
const USUAL_ORDER = 50
const tiers: readonly PromptPart['tier'][] = ['stable', 'context', 'volatile']

/** Every part in the order of the prompt: by tier, then by order, then by name. */
export async function partTexts(ctx: PluginContext<Config>, at: TurnContext): Promise<PartText[]> {
  const tools = await offeredTools(ctx, at)
  const parts = ctx.all(PromptParts)
  const sorted = [...parts.all()].sort(
    (a, b) =>
      tiers.indexOf(a.tier) - tiers.indexOf(b.tier) ||
      (a.order ?? USUAL_ORDER) - (b.order ?? USUAL_ORDER) ||
      (a.name < b.name ? -1 : 1),
  )
  const texts: PartText[] = []
  for (const part of sorted) {
    const known = { name: part.name, tier: part.tier, plugin: parts.owner(part.name) ?? 'unknown' }
    try {
      texts.push({ ...known, text: ((await part.text({ ...at, tools })) ?? '').trim() })
    } catch (error) {
      logFault(ctx.log, `the part ${part.name} of the system prompt failed`, error, known.plugin)
      texts.push({ ...known, text: '', failed: errorMessage(error) })
    }
  }
  return texts
}

/** The tools that would be sent to a model. */
export async function offeredTools(ctx: PluginContext<Config>, at: TurnContext): Promise<readonly string[]> {
  const usable = ctx
    .all(Tools)
    .all()
    .filter((tool) => tool.missing?.() === undefined)
    .map(({ name }) => name)
    .sort()
  const offer = await ctx.call(SelectTools, { offered: usable, deferred: [] }, at)
  return offer.offered
}
