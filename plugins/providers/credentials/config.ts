/** The block `credential_pool_strategies`: which key of a provider is used next. */
import { z } from 'zod'

export const config = z.record(
  z.string(),
  z.enum(['fill_first', 'round_robin', 'least_used', 'random']).meta({
    description:
      'For the provider with this id: its first key until that is refused (`fill_first`, the default), one after the other (`round_robin`), the one with the fewest calls (`least_used`), or any (`random`).',
  }),
)
export type Config = z.infer<typeof config>
