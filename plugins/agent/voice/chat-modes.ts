/** Which answers are spoken in which chat, as `/voice` chose; stored, so it holds after a restart. */
import type { PluginContext } from 'svc/sdk'
import type { MessageOrigin } from 'svc/sdk/platform'
import type { PluginState } from 'svc/sdk/storage'
import { z } from 'zod'
import { type ChatMode, type Config, chatMode } from './config.ts'

/** Chats that are remembered; the ones that were set first are forgotten first. */
const MAX_CHATS = 1000

const modes = z.array(z.object({ chat: z.string(), mode: chatMode }))

type Chat = Pick<MessageOrigin, 'platform' | 'chatId'>

export class ChatModes {
  readonly #state: PluginState<z.infer<typeof modes>>
  readonly #standard: ChatMode

  constructor(ctx: PluginContext<Config>) {
    this.#state = ctx.state('chats', { schema: modes, initial: [] })
    this.#standard = ctx.config.chats
  }

  of(chat: Chat): ChatMode {
    const key = toKey(chat)
    return this.#state.get().find((each) => each.chat === key)?.mode ?? this.#standard
  }

  async set(chat: Chat, mode: ChatMode): Promise<void> {
    const key = toKey(chat)
    await this.#state.update((all) =>
      [...all.filter((each) => each.chat !== key), { chat: key, mode }].slice(-MAX_CHATS),
    )
  }
}

/** Threads of a chat share its mode. */
function toKey({ platform, chatId }: Chat): string {
  return `${platform}:${chatId}`
}
