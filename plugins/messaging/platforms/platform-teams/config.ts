/** The config block `platforms.teams`. */
import { webhookSettings } from 'svc/sdk/kit/platform'
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'
import { teams } from './teams.ts'

export const config = platformConfigSchema(
  z.object({
    ...webhookSettings(teams),
    login_url: z.string().default('https://login.microsoftonline.com').meta({
      description: 'Address that gives tokens to the bot; the client secret is sent there.',
    }),
    openid_url: z.string().default('https://login.botframework.com/v1/.well-known/openidconfiguration').meta({
      description: 'Where the keys are published with which calls are signed.',
    }),
    service_hosts: z
      .array(z.string())
      .default(['smba.trafficmanager.net', 'smba.infra.gcc.teams.microsoft.com', 'smba.infra.gov.teams.microsoft.us'])
      .meta({ description: 'Hosts of service addresses that answers, with the token of the bot, may be sent to.' }),
  }),
)
