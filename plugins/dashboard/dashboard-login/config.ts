/** The config block `dashboard.login`. */
import { isLoopbackHost } from 'svc/sdk/provider'
import { z } from 'zod'

const issuer = z.url({ protocol: /^https?$/ }).refine((text) => {
  const url = new URL(text)
  return url.protocol === 'https:' || isLoopbackHost(url.hostname)
}, 'begins with https, unless the provider is on this machine')

export const oidc = z.object({
  issuer: issuer.meta({ description: 'Address of the OpenID provider, as it names itself: `https://id.example`.' }),
  client_id: z.string().min(1).meta({ description: 'The client that svc is at the provider.' }),
  allow: z.array(z.string().min(1)).min(1).meta({
    description: 'Who may sign in: addresses of mail that the provider has verified, or subjects (`sub`).',
  }),
  name: z.string().min(1).default('OpenID').meta({ description: 'What the button to sign in says.' }),
  scope: z.string().min(1).default('openid email profile').meta({ description: 'What the provider is asked for.' }),
})
export type OidcConfig = z.infer<typeof oidc>

export const config = z.object({
  idle_hours: z.number().positive().max(720).default(12).meta({
    description: 'Hours without a request after which a person has to sign in again.',
  }),
  max_days: z.number().positive().max(365).default(30).meta({
    description: 'Days after which a person has to sign in again in any case.',
  }),
  oidc: oidc.optional().meta({ description: 'An OpenID provider that people sign in at; see its keys.' }),
})
export type Config = z.infer<typeof config>
