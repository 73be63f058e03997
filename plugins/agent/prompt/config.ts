/** The config block `prompt`. */
import { z } from 'zod'

export const config = z.object({
  context_files: z
    .boolean()
    .default(true)
    .meta({ description: 'Include AGENTS.md and similar files of the working folder in the system prompt.' }),
  context_file_max_chars: z.number().int().min(500).max(500_000).default(20_000).meta({
    description: 'Characters of project notes, and of SOUL.md, that are told; the middle of longer ones is left out.',
  }),
  trust: z.array(z.string().min(1)).default([]).meta({
    description: 'Folders whose project notes are told to the model without asking, also after changes.',
  }),
})
export type Config = z.infer<typeof config>
