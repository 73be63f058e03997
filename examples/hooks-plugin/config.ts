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
  answers: z
    .record(z.string(), z.string())
    .default({})
    .meta({ description: 'Messages that are answered without a model: `status page: https://status.example.com`.' }),
  environment: z
    .record(z.string(), z.string())
    .default({})
    .meta({ description: 'Variables of commands and scripts that tools start, such as `CI: "1"`.' }),
  tool_notes: z
    .record(z.string(), z.string())
    .default({})
    .meta({ description: 'What the model is told of a tool besides: `terminal: Use pnpm, not npm.`' }),
  after_writes: z
    .string()
    .default('')
    .meta({ description: 'What the model is told after it has written files, such as `Run the tests.`' }),
  slow_ms: z.number().min(0).default(5000).meta({ description: 'Tool calls that take longer are logged.' }),
})
