/**
 * What a turn is run with, as one object from the front end to the journal: a command line, a chat and a request of the API
 * make it, and everything between them and the agent passes it on whole. A new setting is added here and where it is made and used.
 */
import type { AnswerFormat, ReasoningLevel, ServiceTier } from './providers.ts'

/** A field that is left out is what the session or the config says. @since 0.2 */
export interface TurnSettings {
  /** Overrides of `model.provider` and `model.default` for this turn. */
  readonly provider?: string
  readonly model?: string
  readonly reasoning?: ReasoningLevel
  /** Left out: `agent.service_tier`. It is not sent to a model that has no such tier. @since 0.2 */
  readonly serviceTier?: ServiceTier
  /** Overrides the cap on model calls. */
  readonly maxIterations?: number
  /** Only these toolsets and tools, by name; an empty list offers none. */
  readonly toolsets?: readonly string[]
  /** Replaces the system prompt that the prompt parts make; the session keeps it from its first turn on. */
  readonly systemPrompt?: string
  /** Groups whose caps apply in addition to those of the session: see `Spender.groups`. */
  readonly groups?: readonly string[]
  /**
   * The form of the answer that ends the turn; tools work as usual before it. The answer is checked, and the model may
   * repair it once. The text of the last `message.complete` is the JSON; texts before it are not part of the answer.
   */
  readonly format?: AnswerFormat
}

const FIELDS = Object.keys({
  provider: true,
  model: true,
  reasoning: true,
  serviceTier: true,
  maxIterations: true,
  toolsets: true,
  systemPrompt: true,
  groups: true,
  format: true,
} satisfies Record<keyof TurnSettings, true>) as readonly (keyof TurnSettings)[]

/** The settings among the fields of a request, without those that are undefined. @since 0.2 */
export function turnSettings(
  request: { readonly [Key in keyof TurnSettings]: TurnSettings[Key] | undefined },
): TurnSettings {
  return Object.fromEntries(FIELDS.flatMap((key) => (request[key] === undefined ? [] : [[key, request[key]]])))
}
