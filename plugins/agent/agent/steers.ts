/** What is said while a turn is under way, as plugins leave it. */
import type { PluginContext } from 'svc/sdk'
import { BeforeUserInput, type UserInputSource } from 'svc/sdk/hooks'
import type { MessageOrigin } from 'svc/sdk/platform'
import type { Config } from './config.ts'
import type { Turn } from './turn.ts'

/** A text that was added to the turn. */
export interface Steer {
  readonly text: string
  readonly source: UserInputSource
  readonly sender?: MessageOrigin
}

/** The texts that go to the model. One that a plugin answers does not: people are shown the answer. */
export async function readSteers(ctx: PluginContext<Config>, turn: Turn, steers: readonly Steer[]): Promise<string[]> {
  const texts: string[] = []
  for (const { text, source, sender } of steers) {
    const context = { ...turn.context, ...(sender && { sender }), source, isSteer: true, signal: turn.signal }
    const input = await ctx.call(BeforeUserInput, { text, images: [] }, context)
    if (input.reply === undefined) texts.push(input.text)
    else turn.record([{ type: 'notice', text: input.reply, isPassing: true }])
  }
  return texts
}
