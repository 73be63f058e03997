/** What is said while a turn is under way, as plugins leave it. */
import type { PluginContext, TurnEventData } from 'svc/sdk'
import { BeforeUserInput, type UserInputSource } from 'svc/sdk/hooks'
import type { MessageOrigin } from 'svc/sdk/platform'
import type { Config } from './config.ts'
import type { Turn } from './turn.ts'

/** A text that was added to the turn. */
export interface Steer {
  readonly text: string
  readonly source: UserInputSource
  readonly sender?: MessageOrigin
  /** What the caller names it. */
  readonly key?: string
}

/** A text as plugins leave it. */
export interface ReadSteer {
  readonly text: string
  readonly key?: string
}

/** The texts that go to the model. One that a plugin answers does not: people are shown the answer. */
export async function readSteers(
  ctx: PluginContext<Config>,
  turn: Turn,
  steers: readonly Steer[],
): Promise<readonly ReadSteer[]> {
  const read: ReadSteer[] = []
  for (const { text, source, sender, key } of steers) {
    const context = { ...turn.context, ...(sender && { sender }), source, isSteer: true, signal: turn.signal }
    const input = await ctx.call(BeforeUserInput, { text, images: [] }, context)
    if (input.reply === undefined) read.push({ text: input.text, ...(key !== undefined && { key }) })
    else turn.record([{ type: 'notice', text: input.reply, isPassing: true }])
  }
  return read
}

/** The event that makes texts part of the journal, as one. */
export function steerEvent(steers: readonly ReadSteer[]): Extract<TurnEventData, { readonly type: 'steer' }> {
  const keys = steers.flatMap(({ key }) => (key === undefined ? [] : [key]))
  return { type: 'steer', text: steers.map(({ text }) => text).join('\n'), ...(keys.length > 0 && { keys }) }
}
