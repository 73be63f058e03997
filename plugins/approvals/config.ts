/** The config block `approvals`. */
import { z } from 'zod'

export const config = z.object({
  mode: z.enum(['manual', 'off']).default('manual').meta({
    description: 'Ask before dangerous commands (`manual`), or run them unasked (`off`). Some are never run.',
  }),
  timeout: z
    .number()
    .positive()
    .max(590)
    .default(60)
    .meta({ description: 'Seconds to wait for an answer; silence is a denial.' }),
  deny: z.array(z.string().min(1)).default([]).meta({
    description: 'Commands that are never run, with `*` for any text: `git push*`. They hold in every mode.',
  }),
  allow: z.array(z.string().min(1)).default([]).meta({
    description: 'Commands that need no question, with `*` for any text. Only for commands without shell operators.',
  }),
})

export type Config = z.infer<typeof config>
