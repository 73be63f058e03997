/** The config block `memory`. */
import { z } from 'zod'

export const config = z.object({
  memory_char_limit: z.number().int().min(100).max(100_000).default(2200).meta({
    description: 'Characters of MEMORY.md; each session starts with all of it.',
  }),
  user_char_limit: z.number().int().min(100).max(100_000).default(1375).meta({
    description: 'Characters of USER.md; each session starts with all of it.',
  }),
})
export type Config = z.infer<typeof config>
