/** The config block `platforms.simplex`. */
import type { Schema } from 'svc/sdk'
import { type PlatformSettings, platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const own = z.object({
  accept_requests: z.boolean().default(false).meta({
    description:
      'Accepts everybody who asks to be a contact. Who may write is decided by the other settings. Off: you accept them in simplex-chat.',
  }),
})
type Own = z.infer<typeof own>

export type Config = Own & PlatformSettings
export const config: Schema<Config> = platformConfigSchema<Own>(own, { streaming: false })
