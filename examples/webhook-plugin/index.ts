/** The plugin is its description, its settings and its stand-in. */
import { defineWebhookPlatform, webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { courier } from './courier.ts'

export default defineWebhookPlatform(courier, {
  config: platformConfigSchema(z.object(webhookSettings(courier))),
  openStandIn: async () => (await import('./stand-in.ts')).openStandIn(),
})
