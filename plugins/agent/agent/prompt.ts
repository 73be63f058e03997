/** The system prompt: built once per session from the parts that plugins contribute, then kept as it is. */
import { type PluginContext, type PromptOccasion, type PromptPart, PromptParts, type TurnInfo } from 'svc/sdk'
import type { Config } from './config.ts'

const tiers: readonly PromptPart['tier'][] = ['stable', 'context', 'volatile']

/** The text for a new session. */
export async function buildPrompt(
  ctx: PluginContext<Config>,
  turn: TurnInfo & { readonly cwd: string; readonly tools: readonly string[]; readonly occasion: PromptOccasion },
): Promise<string> {
  const parts = [...ctx.all(PromptParts).all()].sort(
    (a, b) => tiers.indexOf(a.tier) - tiers.indexOf(b.tier) || (a.name < b.name ? -1 : 1),
  )
  const texts: string[] = []
  for (const part of parts) {
    const text = (await part.text(turn))?.trim()
    if (text) texts.push(text)
  }
  return texts.join('\n\n')
}
