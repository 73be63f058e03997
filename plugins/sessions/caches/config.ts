/** The block `caches`: where values are that may be lost. */
import { z } from 'zod'

export const config = z.object({
  url: z.string().default('').meta({
    description:
      'A server that keeps caches for several machines: `redis://host:6379` or `postgresql://user@host/database`. Empty: the server of storage.url, or files below SVC_HOME. An address with a password belongs in SVC_CACHES_URL.',
  }),
})
export type Config = z.infer<typeof config>
