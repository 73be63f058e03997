/** The settings that all described platforms share, as parts of a zod object. */
import { z } from 'zod'

/** What the texts say. @since 0.2 */
export interface DescribedSettingsAbout {
  readonly label: string
  readonly baseUrl: string
  readonly addressFrom?: string
}

/** The key `base_url`. @since 0.2 */
export function addressSettings({ label, baseUrl, addressFrom }: DescribedSettingsAbout): {
  readonly base_url: z.ZodDefault<z.ZodString>
} {
  const description =
    addressFrom === undefined
      ? 'Address of the API; the credentials are sent there.'
      : `Address of the server of ${label}, when ${addressFrom} is not set.`
  return { base_url: z.string().default(baseUrl).meta({ description }) }
}

/** The keys `base_url`, `webhook_host` and `webhook_port`. @since 0.2 */
export function webhookSettings(about: DescribedSettingsAbout & { readonly port: number }): {
  readonly base_url: z.ZodDefault<z.ZodString>
  readonly webhook_host: z.ZodDefault<z.ZodString>
  readonly webhook_port: z.ZodDefault<z.ZodNumber>
} {
  return {
    ...addressSettings(about),
    webhook_host: z
      .string()
      .default('127.0.0.1')
      .meta({
        description: `Address to listen on; a tunnel or proxy brings ${about.label} here.`,
      }),
    webhook_port: z.number().int().min(0).max(65535).default(about.port).meta({
      description: 'Port to listen on; 0 takes a free one.',
    }),
  }
}
