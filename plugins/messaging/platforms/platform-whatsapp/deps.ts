/** What the platform has of the program. */
import type { Clock, Logger, Net, Random, Secrets } from 'svc/sdk'
import type { PlatformSettings } from 'svc/sdk/platform'
import type { Traces } from 'svc/sdk/sessions'
import type { Http } from 'svc/sdk/web'

/** The own keys of the block. */
export interface WhatsAppSettings extends PlatformSettings {
  readonly base_url: string
  readonly api_version: string
  readonly webhook_host: string
  readonly webhook_port: number
  readonly webhook_path: string
  readonly reply_prefix?: string | undefined
  readonly template_name: string
  readonly template_language: string
  readonly read_receipts: boolean
}

export interface WhatsAppDeps {
  readonly settings: WhatsAppSettings
  readonly log: Logger
  net(): Net
  clock(): Clock
  http(): Http
  random(): Random
  secrets(): Secrets
  traces(): Traces | undefined
}
