/** What the platform has of the program. */
import type { Http, Logger, Net, PlatformSettings, Random, Secrets, Traces } from 'svc/sdk'

/** The own keys of the block. */
export interface WhatsAppSettings extends PlatformSettings {
  readonly base_url: string
  readonly api_version: string
  readonly webhook_host: string
  readonly webhook_port: number
  readonly webhook_path: string
  readonly reply_prefix?: string | undefined
  readonly read_receipts: boolean
}

export interface WhatsAppParts {
  readonly settings: WhatsAppSettings
  readonly log: Logger
  net(): Net
  http(): Http
  random(): Random
  secrets(): Secrets
  traces(): Traces | undefined
}
