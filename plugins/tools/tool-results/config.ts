/** The config block `tool_output`. */
import { z } from 'zod'

export const config = z.object({
  max_chars: z.number().int().min(2000).default(100_000).meta({
    description: 'Characters of one tool result; a longer one is kept in a file. At most 15 % of the context window.',
  }),
  max_chars_together: z.number().int().min(4000).default(200_000).meta({
    description: 'Characters of all tool results of one answer. At most 30 % of the context window.',
  }),
  keep_days: z.number().positive().default(7).meta({ description: 'Days after which such a file is removed.' }),
  keep_megabytes: z.number().positive().default(200).meta({
    description: 'Size of all such files; the oldest are removed to make room.',
  }),
})
export type Config = z.infer<typeof config>
