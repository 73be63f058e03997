/** The config of the platform DingTalk. */
import { type PlatformSettings, platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const own = z.object({
  base_url: z.string().trim().default('https://api.dingtalk.com').meta({
    description: 'Address of the API; the secret of the app is sent there.',
  }),
  oapi_url: z.string().trim().default('https://oapi.dingtalk.com').meta({
    description: 'Address of the older API, to which files are uploaded.',
  }),
  card_template: z.string().trim().default('').meta({
    description:
      'Id of a card template, for buttons and for messages that grow while they are written; empty: there are no cards.',
  }),
  robot_code: z.string().trim().default('').meta({
    description: 'Code of the robot; left out: as messages say it, else the client id.',
  }),
})
export type Config = z.infer<typeof own> & PlatformSettings

/** In groups DingTalk delivers only messages that mention the robot. */
export const config = platformConfigSchema(own, { require_mention: false, streaming: false })
