/** The config of the platform Signal. */
import { type PlatformSettings, platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const own = z.object({
  http_url: z.string().trim().default('').meta({
    description: 'Address of the daemon of signal-cli; left out: SIGNAL_HTTP_URL, else http://127.0.0.1:8080.',
  }),
  account: z
    .union([z.string(), z.number().transform((number) => `+${number}`)])
    .default('')
    .meta({ description: 'Phone number, such as +15550100, or account id that the agent is.' }),
  note_to_self: z.boolean().default(false).meta({
    description: "Takes notes to oneself as messages: for an agent on the owner's own account.",
  }),
})
export type Config = z.infer<typeof own> & PlatformSettings

export const config = platformConfigSchema(own, { streaming: false })
