/** `svc/sdk/kit/platform`: chat platforms as data: what comes in by a webhook or a stream, and an HTTP API for what goes out. */
export {
  type PlatformAnswer,
  PlatformApi,
  type PlatformApiOptions,
  type PlatformCall,
  type PlatformFetch,
  type PlatformRefusal,
  type PlatformToken,
  type PlatformTokenCall,
  type PlatformUpload,
} from './api.ts'
export { ConnectionSlot } from './connection-slot.ts'
export type {
  ConnectedContext,
  DescribedMessage,
  DescribedSettings,
  PlatformContext,
  PlatformDescription,
} from './description.ts'
export { KnownPrograms } from './known-programs.ts'
export { type DescribedPluginOptions, defineStreamPlatform, defineWebhookPlatform } from './plugin.ts'
export { readSocket, type SocketReading } from './read-socket.ts'
export { addressSettings, type DescribedSettingsAbout, webhookSettings } from './settings.ts'
export type { StreamBatch, StreamOptions, StreamPlatform } from './stream-platform.ts'
export type { WebhookDoor, WebhookPlatform, WebhookSettings } from './webhook-platform.ts'
