/** What a person chose for one conversation, and how it combines with what else is set. */
import type { ConversationSettings } from './conversations.ts'
import { defineSessionState, type SessionState } from './session-state.ts'

const TIERS: readonly unknown[] = ['priority', 'flex', 'default']
const LEVELS: readonly unknown[] = ['none', 'low', 'medium', 'high', 'xhigh']

/**
 * What slash commands set for a conversation. Stored with its session: it holds again after a restart, on each surface, and in
 * branches. `Conversation.change` writes it; the agent applies it to every turn whose request leaves these fields out.
 * @since 0.2
 */
export const SelectedSettings: SessionState<ConversationSettings> = defineSessionState('conversation:settings', {
  undo: 'keeps',
  parse: parseSettings,
})

/**
 * `over` where it says something, else `under`. Provider and model belong together: a model of one provider is nothing to
 * another one.
 * @since 0.1
 */
export function mergeSettings<T extends ConversationSettings>(
  under: ConversationSettings,
  over: T,
): T & ConversationSettings {
  const { provider: _provider, model: _model, ...rest } = under
  const names = over.provider !== undefined || over.model !== undefined
  return { ...(names ? rest : under), ...over }
}

/** What is well-formed of it. */
function parseSettings(value: unknown): ConversationSettings | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const known = Object.entries(value).filter(([key, each]) => CHECKS[key]?.(each))
  return Object.fromEntries(known)
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string')

const CHECKS: { readonly [key: string]: ((value: unknown) => boolean) | undefined } = {
  provider: isText,
  model: isText,
  systemPrompt: isText,
  reasoning: (value) => LEVELS.includes(value),
  serviceTier: (value) => TIERS.includes(value),
  maxIterations: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  toolsets: isTexts,
  groups: isTexts,
} satisfies { readonly [Key in keyof Required<ConversationSettings>]: (value: unknown) => boolean }
