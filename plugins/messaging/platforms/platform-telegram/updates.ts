/** What comes in, as far as it matters here: https://core.telegram.org/bots/api#available-types. */
import { z } from 'zod'

const user = z.object({
  id: z.number(),
  is_bot: z.boolean().default(false),
  first_name: z.string().default(''),
  last_name: z.string().optional(),
  username: z.string().optional(),
})

const chat = z.object({
  id: z.number(),
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
  title: z.string().optional(),
})

const file = z.object({
  file_id: z.string(),
  file_unique_id: z.string().default(''),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
  file_size: z.number().optional(),
})

/** Offsets and lengths count UTF-16 units, as JavaScript does. */
const entities = z
  .array(z.object({ type: z.string(), offset: z.number(), length: z.number(), user: user.optional() }))
  .default([])

const words = {
  message_id: z.number(),
  text: z.string().optional(),
  caption: z.string().optional(),
  from: user.optional(),
}

const message = z.object({
  ...words,
  date: z.number().default(0),
  edit_date: z.number().default(0),
  chat,
  /** Who speaks in the place of a person: a channel, or the group itself for admins who hide. */
  sender_chat: chat.optional(),
  message_thread_id: z.number().optional(),
  is_topic_message: z.boolean().default(false),
  entities,
  caption_entities: entities,
  reply_to_message: z.object({ ...words, forum_topic_created: z.unknown().optional() }).optional(),
  quote: z.object({ text: z.string() }).optional(),
  photo: z.array(file).default([]),
  voice: file.optional(),
  audio: file.optional(),
  video: file.optional(),
  video_note: file.optional(),
  animation: file.optional(),
  document: file.optional(),
  sticker: file
    .extend({
      emoji: z.string().default(''),
      set_name: z.string().default(''),
      is_animated: z.boolean(),
      is_video: z.boolean(),
    })
    .optional(),
  location: z.object({ latitude: z.number(), longitude: z.number() }).optional(),
  contact: z.object({ first_name: z.string(), phone_number: z.string() }).optional(),
})
export type Message = z.infer<typeof message>

const press = z.object({
  id: z.string(),
  from: user,
  data: z.string().optional(),
  message: z
    .object({
      message_id: z.number(),
      chat,
      message_thread_id: z.number().optional(),
      is_topic_message: z.boolean().default(false),
      reply_markup: z
        .object({
          inline_keyboard: z.array(z.array(z.object({ text: z.string(), callback_data: z.string().optional() }))),
        })
        .optional(),
    })
    .optional(),
})
export type Press = z.infer<typeof press>
export type File = z.infer<typeof file>

/** Each is parsed separately: a malformed one must not hide the others. */
export const update = z.looseObject({ update_id: z.number() })
export const updates = z.array(update)
export type Update = z.infer<typeof update>

/** What is asked for; everything else stays away. */
export const UPDATES = ['message', 'channel_post', 'edited_message', 'edited_channel_post', 'callback_query'] as const

/** The content of an update; undefined if it is not for us or malformed. */
export function readUpdate(
  update: Update,
): { readonly message?: Message; readonly edit?: Message; readonly press?: Press } | undefined {
  const edited = update['edited_message'] ?? update['edited_channel_post']
  if (edited !== undefined) {
    const { data } = message.safeParse(edited)
    return data && { edit: data }
  }
  const given = update['message'] ?? update['channel_post']
  if (given !== undefined) {
    const { data } = message.safeParse(given)
    return data && { message: data }
  }
  const { data } = press.safeParse(update['callback_query'])
  return data && { press: data }
}

/** The bot itself. */
export const self = z.object({ id: z.number(), username: z.string().default('') })
export type Self = z.infer<typeof self>

export const sent = z.object({ message_id: z.number(), date: z.number().optional() })

export const storedFile = z.object({ file_path: z.string(), file_size: z.number().optional() })
