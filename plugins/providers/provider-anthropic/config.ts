/** The block `prompt_caching`: for how long services keep what they have read. */
import { z } from 'zod'

export const config = z.object({
  cache_ttl: z.enum(['5m', '1h']).default('5m').meta({
    description:
      'How long Claude keeps the beginning of a conversation: `5m`, or `1h`, which costs more to write and pays when you answer slowly.',
  }),
})
export type Config = z.infer<typeof config>
