/** The config of the plugin. */
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const topics = z
  .union([z.array(z.union([z.string(), z.number()])), z.string(), z.number()])
  .default([])
  .transform((given) =>
    (Array.isArray(given) ? given.map(String) : String(given).split(',')).map((each) => each.trim()),
  )

const own = z.object({
  base_url: z.string().default('https://api.telegram.org').meta({
    description: 'Address of the Bot API, for a server of your own; the token is sent there.',
  }),
  local_mode: z.boolean().default(false).meta({
    description:
      'The server of `base_url` runs with `--local` on this machine: files are read from `local_dir`, of any size.',
  }),
  local_dir: z.string().trim().default('/var/lib/telegram-bot-api').meta({
    description: 'The folder in which that server stores files.',
  }),
  edit_minutes: z.number().int().min(0).default(5).meta({
    description: 'So long after it was written the edit of a message is read as another one; 0: edits are not read.',
  }),
  link_previews: z.enum(['off', 'small', 'large']).default('off').meta({
    description: 'Link previews of outgoing messages. Telegram fetches the first URL of a text to make one.',
  }),
  silent: z.enum(['off', 'groups', 'all']).default('off').meta({
    description: 'Where messages arrive without a sound.',
  }),
  webhook_url: z.string().trim().default('').meta({
    description: 'Public address, with its path, that Telegram calls; left out: svc asks Telegram.',
  }),
  webhook_host: z.string().default('127.0.0.1').meta({
    description: 'Address to listen on; a tunnel or proxy brings Telegram here.',
  }),
  webhook_port: z.number().int().min(0).max(65535).default(8443).meta({
    description: 'Port to listen on; 0 takes a free one.',
  }),
  allowed_topics: topics.meta({
    description:
      'Topics of groups in which it answers, General is 1; empty: all. `TELEGRAM_ALLOWED_TOPICS` goes before it.',
  }),
  ignored_threads: topics.meta({
    description: 'Topics of groups in which it does not answer; `TELEGRAM_IGNORED_THREADS` goes before it.',
  }),
})

export const config = platformConfigSchema(own)
