/** Settings of scheduled jobs. */
import { z } from 'zod'

const limit = (fallback: number, max: number) => z.number().int().min(1).max(max).default(fallback)

export const config = z.object({
  timezone: z.string().default('').meta({
    description: 'Time zone of schedules that name none, such as `Europe/Zurich`. Empty: that of the machine.',
  }),
  max_parallel_jobs: limit(4, 100).meta({ description: 'Runs at once in one process.' }),
  run_minutes: limit(60, 1440).meta({ description: 'Minutes after which a run is ended.' }),
  script_seconds: limit(3600, 86_400).meta({ description: 'Seconds that a script may take.' }),
  history_days: limit(90, 3650).meta({ description: 'Days for which the history of a job is kept.' }),
  output_retention: limit(50, 10_000).meta({ description: 'Files with output that are kept for each job.' }),
  wrap_response: z
    .boolean()
    .default(true)
    .meta({ description: 'Put the name of the job above what is delivered to a chat.' }),
  silence: z
    .array(z.string().min(1))
    .default(['[SILENT]', 'SILENT', 'NO_REPLY', 'NO REPLY'])
    .meta({ description: 'Answers that mean that there is nothing to tell.' }),
})
export type Config = z.infer<typeof config>
