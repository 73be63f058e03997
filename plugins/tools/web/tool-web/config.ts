/** The config block `web`. */
import { z } from 'zod'

export const config = z.object({
  backend: z.string().default('').meta({
    description: 'The backend that is asked first, for example tavily or searxng. Empty: the first that has its key.',
  }),
  search_backend: z.string().default('').meta({ description: 'The same for searching only.' }),
  extract_backend: z
    .string()
    .default('')
    .meta({ description: 'The same for reading pages only; local reads them here.' }),
  extract_char_limit: z.number().int().min(2000).max(500_000).default(15_000).meta({
    description: 'Characters of a page that the model is shown unless it asks for more or less.',
  }),
  summarize: z.boolean().default(false).meta({
    description: 'Show the model a summary of a longer page, made by the model of auxiliary.web_extract.',
  }),
})
export type Config = z.infer<typeof config>
