/** The block `replication`. */
import { z } from 'zod'

export const config = z.object({
  lease_seconds: z.number().min(2).max(120).default(12).meta({
    description:
      'Seconds after which another machine takes over what a process had that died, or that cannot reach the database server.',
  }),
})
export type Config = z.infer<typeof config>
