/** The config block `kanban_dispatcher`. */
import { z } from 'zod'

const count = (max: number) => z.number().int().positive().max(max)
const seconds = (value: number) => z.number().positive().max(1_000_000).default(value)

export const config = z.object({
  in_gateway: z
    .boolean()
    .default(true)
    .meta({ description: 'The gateway gives ready tasks to workers. Off: only `svc kanban dispatch` does.' }),
  interval_seconds: seconds(60).meta({ description: 'Seconds between two looks at the boards when nothing happens.' }),
  failure_limit: count(100)
    .default(2)
    .meta({ description: 'Failed runs after which a task is blocked, unless the task has a number of its own.' }),
  max_workers: count(200).default(4).meta({ description: 'Workers that run at the same time on this machine.' }),
  max_per_board: count(1000).optional().meta({ description: 'Running tasks of one board, on all machines.' }),
  max_per_profile: count(1000)
    .optional()
    .meta({ description: 'Running tasks of one profile and board, on all machines.' }),
  start_grace_seconds: seconds(30).meta({
    description: 'Seconds after which a worker that did not report is given up.',
  }),
  stale_seconds: seconds(3600).meta({
    description: 'Seconds without a sign of life after which a worker that still runs is ended.',
  }),
  stop_grace_seconds: seconds(5).meta({ description: 'Seconds between SIGTERM and SIGKILL.' }),
  check_seconds: seconds(600).meta({ description: 'Seconds that a check of a finished task may take.' }),
  keep_workspaces: z.boolean().default(false).meta({
    description:
      'Keeps the scratch folders of tasks that are done until `svc kanban gc`. Off: they are removed once no task waits for them.',
  }),
  log_bytes: count(1_000_000_000)
    .default(2_097_152)
    .meta({ description: 'Size of the log of a task beyond which it is put aside.' }),
})

export type Config = z.infer<typeof config>
