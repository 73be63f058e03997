/** The config block `voice`. */
import { z } from 'zod'

export const chatMode = z.enum(['off', 'auto', 'on'])
/** Which answers of a chat are also spoken: none, those to spoken questions, all. */
export type ChatMode = z.infer<typeof chatMode>

export const config = z.object({
  chats: chatMode.default('off').meta({
    description:
      'Which answers are also spoken in chats where `/voice` was not used: none, those to voice messages (`auto`), or all (`on`).',
  }),
  max_reply_characters: z.int().min(50).max(20_000).default(1500).meta({
    description:
      'How much of an answer is spoken: whole sentences up to so many characters. Each character costs money.',
  }),
})
export type Config = z.infer<typeof config>
