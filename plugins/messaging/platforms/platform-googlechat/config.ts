/** The config block `platforms.googlechat`. */
import { webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { googlechat } from './googlechat.ts'

export const config = platformConfigSchema(
  z.object({
    ...webhookSettings(googlechat),
    token_url: z.string().default('https://oauth2.googleapis.com/token').meta({
      description: 'Address that gives access tokens for the service account.',
    }),
    keys_url: z.string().default('').meta({
      description: 'Where the keys are published with which calls are signed; empty: as Google publishes them.',
    }),
  }),
)
