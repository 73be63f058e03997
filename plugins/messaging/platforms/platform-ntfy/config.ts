/** The config of the plugin. */
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const own = z.object({
  server: z.string().default('https://ntfy.sh').meta({
    description: 'Address of the ntfy server, when NTFY_SERVER_URL is not set.',
  }),
  topic: z.string().default('').meta({
    description: 'Topic that is read and answered, when NTFY_TOPIC is not set.',
  }),
  publish_topic: z.string().default('').meta({
    description: 'Topic that answers go to, when NTFY_PUBLISH_TOPIC is not set; empty: where they were asked for.',
  }),
  markdown: z.boolean().default(false).meta({
    description: 'Answers are shown as Markdown by the apps that can; NTFY_MARKDOWN goes before it.',
  }),
})

/** Every edit would be a separate push, and typing is not shown. */
export const config = platformConfigSchema(own, { streaming: false, typing_indicator: false })
