/**
 * Choices below a message: Matrix has no buttons, so each has an emoji, and a reaction with it takes the choice. The event of the
 * message carries them, so they are known after a restart, too.
 */
import type { InboundMessage, MessageButton } from 'svc/sdk/platform'
import { z } from 'zod'
import type { RoomEvent } from './events.ts'

/** A key of our own in the content of an event. */
const FIELD = 'svc.choices'
const NUMBERS = ['1️⃣', '2️⃣', '3️⃣', '4️⃣', '5️⃣', '6️⃣', '7️⃣', '8️⃣', '9️⃣', '🔟'] as const
/** As many as there are emoji for. */
export const MAX_CHOICES: number = NUMBERS.length

const choices = z.array(z.object({ emoji: z.string(), value: z.string(), label: z.string() }))
export type Choice = z.infer<typeof choices>[number]

/** The first that is a yes has a tick, the first that is a no a cross; the others are numbered by their places. */
export function createChoices(buttons: readonly MessageButton[]): readonly Choice[] {
  const yes = buttons.findIndex(({ style }) => style === 'primary')
  const no = buttons.findIndex(({ style }) => style === 'danger')
  return buttons.slice(0, MAX_CHOICES).map(({ value, label }, at) => {
    const emoji = at === yes ? '✅' : at === no ? '❌' : (NUMBERS[at] ?? '')
    return { emoji, value, label }
  })
}

/** The text with its choices, in our markup, and the fields of the event. */
export function withChoices(
  text: string,
  all: readonly Choice[],
): { readonly text: string; readonly field: Readonly<Record<string, unknown>> } {
  if (all.length === 0) return { text, field: {} }
  const lines = all.map(({ emoji, label }) => `${emoji} ${escapeHtml(label)}`)
  return { text: `${text}\n\n${lines.join('\n')}`, field: { [FIELD]: all } }
}

/** The choice that a reaction makes; undefined for other reactions. `target` is the event that it refers to. */
export function findChoice(reaction: RoomEvent, target: RoomEvent | undefined, self: string): Choice | undefined {
  if (target?.sender !== self) return undefined
  const { key } = getRelation(reaction)
  const known = choices.safeParse(target.content[FIELD]).data ?? []
  return typeof key === 'string' ? known.find(({ emoji }) => stripVariation(emoji) === stripVariation(key)) : undefined
}

/** The event that an annotation refers to; undefined for other events. */
export function getAnnotatedId({ type, content }: RoomEvent): string | undefined {
  const { rel_type: kind, event_id: id } = getRelation({ content } as RoomEvent)
  return type === 'm.reaction' && kind === 'm.annotation' && typeof id === 'string' ? id : undefined
}

/** A press, but for where it was made. */
export function createPress(
  { value, label }: Choice,
  targetId: string,
): Pick<InboundMessage, 'press' | 'text' | 'isMention' | 'quote'> {
  return { press: value, text: label, isMention: true, quote: { messageId: targetId } }
}

function getRelation({ content }: RoomEvent): Readonly<Record<string, unknown>> {
  const relation = content['m.relates_to']
  return typeof relation === 'object' && relation !== null ? (relation as Record<string, unknown>) : {}
}

/** Clients write some emoji with a variation selector and some without. */
function stripVariation(emoji: string): string {
  return emoji.replaceAll('\ufe0f', '')
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
