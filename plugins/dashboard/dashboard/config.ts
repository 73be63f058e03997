/** The config block `dashboard.server`. */
import { z } from 'zod'

export const config = z.object({
  host: z.string().min(1).default('127.0.0.1').meta({
    description:
      'Address that the dashboard listens on. One that others can reach needs a login: `svc dashboard password`, or `dashboard.login.oidc`.',
  }),
  port: z.number().int().min(0).max(65_535).default(9119).meta({
    description: 'Port that it listens on; 0 takes a free one.',
  }),
  public_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description:
        'The address under which people reach it through a reverse proxy, such as `https://svc.example/agent`. With it a login is needed.',
    }),
  trusted_proxies: z.array(z.string()).default([]).meta({
    description:
      'IP addresses or ranges of reverse proxies, such as `127.0.0.1`, whose `X-Forwarded-For`, `-Proto` and `-Prefix` are believed.',
  }),
})
export type Config = z.infer<typeof config>
