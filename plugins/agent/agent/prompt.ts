/** The system prompt: built once per session from the parts that plugins contribute, then kept as it is. */
import { type PluginContext, type PromptContext, type PromptPart, PromptParts, type TurnContext } from 'svc/sdk'
import { type ContributionRegistry, Plugins } from 'svc/sdk/host'
import type { Config } from './config.ts'

const tiers: readonly PromptPart['tier'][] = ['stable', 'context', 'volatile']

type PromptTurn = TurnContext & {
  readonly tools: readonly string[]
  readonly occasion: PromptContext
}

/**
 * The text for a new session. A failing part is omitted and reported with its owner, unless its owner guards a gate:
 * what a guard tells the model belongs to the protection, so the turn fails. Undefined if the turn was stopped meanwhile.
 */
export async function buildPrompt(ctx: PluginContext<Config>, turn: PromptTurn): Promise<string | undefined> {
  const parts = ctx.all(PromptParts)
  const sorted = [...parts.all()].sort(
    (a, b) => tiers.indexOf(a.tier) - tiers.indexOf(b.tier) || (a.name < b.name ? -1 : 1),
  )
  const guards = guarding(ctx)
  const texts: string[] = []
  for (const part of sorted) {
    const text = guards.has(parts.owner(part.name)) ? await part.text(turn) : await attempted(parts, part, turn)
    if (turn.occasion.signal.aborted) return undefined
    if (text?.trim()) texts.push(text.trim())
  }
  return texts.join('\n\n')
}

/** The end of the turn is not a failure of the part that it interrupts. */
async function attempted(
  parts: ContributionRegistry<PromptPart>,
  part: PromptPart,
  turn: PromptTurn,
): Promise<string | undefined> {
  const work = async () => {
    try {
      return await part.text(turn)
    } catch (error) {
      if (turn.occasion.signal.aborted) return undefined
      throw error
    }
  }
  return await parts.attempt(part, work, isText)
}

const isText = (value: unknown): boolean => value === undefined || typeof value === 'string'

/** The plugins that guard a gate. */
function guarding(ctx: PluginContext<Config>): ReadonlySet<string | undefined> {
  const guards = ctx.use(Plugins).guards()
  return new Set(guards.flatMap(({ plugin, gates }) => (gates.length > 0 ? [plugin] : [])))
}
