/** The config block `dashboard.server`. */
import { z } from 'zod'

export const config = z.object({
  host: z.string().min(1).default('127.0.0.1').meta({
    description: 'Address that the dashboard listens on. One that others can reach needs a login.',
  }),
  port: z.number().int().min(0).max(65_535).default(9119).meta({
    description: 'Port that it listens on; 0 takes a free one.',
  }),
  public_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description:
        'The address under which people reach it through a reverse proxy, such as `https://svc.example/agent`.',
    }),
})
export type Config = z.infer<typeof config>
