/** `svc/sdk/kit/platform`: chat platforms of one kind as data: a webhook that the service calls, and its HTTP API. */
export {
  type PlatformAnswer,
  PlatformApi,
  type PlatformApiOptions,
  type PlatformCall,
  type PlatformRefusal,
  type PlatformToken,
  type PlatformTokenCall,
} from './api.ts'
export { defineWebhookPlatform, type WebhookPluginOptions } from './plugin.ts'
export type { WebhookContext, WebhookPlatform, WebhookSettings } from './webhook-platform.ts'
