/** The config block `sessions`. */
import { z } from 'zod'

export const config = z.object({
  retention_days: z.number().positive().optional().meta({
    description:
      'Conversations that were not used for so many days are removed when svc next looks at them. Left out: none are.',
  }),
})
export type Config = z.infer<typeof config>
