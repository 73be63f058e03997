/** The config block `metrics`. The token is a secret and lives in `.env` only. */
import { z } from 'zod'

export const config = z.object({
  host: z.string().default('127.0.0.1').meta({
    description: 'Address that `GET /metrics` is served on. Anything but loopback can be reached by other machines.',
  }),
  port: z.number().int().min(0).max(65_535).default(9464).meta({ description: 'Port that it listens on.' }),
})

export type Config = z.infer<typeof config>
