/** The config block `sessions`. */
import { z } from 'zod'

export const config = z.object({
  retention_days: z.number().positive().optional().meta({
    description:
      'Conversations that were not used for so many days are removed after a turn, once a day; a copy goes to the trash. Left out: none are.',
  }),
})
export type Config = z.infer<typeof config>
