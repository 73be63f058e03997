/** The config block `kanban`. */
import { z } from 'zod'

export const config = z.object({
  orchestrator_profile: z.string().default('').meta({
    description: 'The profile that judges a task which was taken apart. Empty, or not there: the default one.',
  }),
  default_assignee: z.string().default('').meta({
    description: 'The profile that gets tasks for which no other is known. Empty, or not there: the default one.',
  }),
  auto_decompose: z
    .boolean()
    .default(true)
    .meta({ description: 'The dispatcher plans new tasks in triage automatically.' }),
  auto_decompose_per_tick: z
    .int()
    .min(0)
    .max(100)
    .default(3)
    .meta({ description: 'Tasks that one look of the dispatcher plans automatically, on all boards.' }),
  auto_subscribe_on_create: z
    .boolean()
    .default(true)
    .meta({ description: 'A chat in which a task is created with `/kanban create` hears what becomes of it.' }),
})

export type Config = z.infer<typeof config>
