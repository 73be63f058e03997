/** The block `plugins.entries.hooks-plugin` of config.yaml. */
import { z } from 'zod'

export const config = z.object({
  snippets: z
    .record(z.string(), z.string())
    .default({})
    .meta({ description: 'Words that stand for longer texts: `;daily: Summarise what changed since yesterday.`' }),
  forbidden: z
    .array(z.string())
    .default(['rm -rf /', 'git push --force'])
    .meta({ description: 'A tool call whose input contains one of these texts is denied.' }),
  slow_ms: z.number().min(0).default(5000).meta({ description: 'Tool calls that take longer are logged.' }),
})
