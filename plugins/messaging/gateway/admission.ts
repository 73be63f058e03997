/** Whether a message is taken, before any of its words are kept. */
import { type InboundMessage, type Platform, type PlatformSettings, platformSettingDefaults } from 'svc/sdk/platform'
import type { Access, AccessDecision } from 'svc/sdk/safety'

/** What becomes of it. */
export interface Admission {
  readonly state: 'waiting' | 'refused' | 'ignored'
  /** The rule that decided, for `svc why`. */
  readonly rule: string
  readonly verdict?: AccessDecision
  /** A permitted sender wrote it to others. */
  readonly isOverheard?: true
}

/** Longer texts are not treated as messages. In characters. */
export const MAX_TEXT = 1_000_000

/** Judges the sender first, then whether the agent was meant. */
export function admit(
  platform: Platform,
  message: InboundMessage,
  { access, hasBinding }: { readonly access: Access; hasBinding(): boolean },
): Admission {
  const settings = platform.settings ?? platformSettingDefaults
  if (settings.ignored_chats.includes(message.chatId)) return { state: 'ignored', rule: 'ignored_chats names the chat' }
  const verdict = access.judge(message, { kind: 'message' })
  if (!verdict.allow) return { state: 'refused', rule: verdict.rule, verdict }
  const silence = explainIgnored(platform, message, settings)
  if (silence !== undefined && !continuesThread(platform, message, settings, hasBinding))
    return { state: 'ignored', rule: silence, verdict, isOverheard: true }
  if (!message.text.trim() && !message.files?.length && message.press === undefined)
    return { state: 'ignored', rule: 'it has no words and no files', verdict }
  return { state: 'waiting', rule: verdict.rule, verdict }
}

/** Why a message in a group is not for the agent; undefined when it is. */
function explainIgnored(platform: Platform, message: InboundMessage, settings: PlatformSettings): string | undefined {
  if (platform.isEvents || (message.chatKind ?? 'dm') === 'dm' || message.press !== undefined) return undefined
  if (!settings.require_mention || message.isMention) return undefined
  const { chatId, threadId } = message
  const free = settings.free_response_chats
  if (free.includes(chatId) || (threadId !== undefined && free.includes(threadId))) return undefined
  const command = platform.limits.commandPrefix ?? '/'
  if (message.text.startsWith(command) && /^\w/.test(message.text.slice(command.length))) return undefined
  const fits = settings.mention_patterns.some((pattern) => matches(pattern, message.text))
  return fits ? undefined : 'it does not address the agent, and require_mention is on'
}

/** Whether it continues a thread in which the agent was addressed before. */
function continuesThread(
  { limits }: Platform,
  { threadId }: InboundMessage,
  settings: PlatformSettings,
  hasBinding: () => boolean,
): boolean {
  return limits.threadTalks === true && !settings.strict_mention && threadId !== undefined && hasBinding()
}

/** A pattern that cannot be read fits nothing. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'iu').test(text.slice(0, 2000))
  } catch {
    return false
  }
}
