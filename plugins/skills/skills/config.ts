/** The config block `skills`. */
import { z } from 'zod'

const scalar = z.union([z.string(), z.number(), z.boolean()])
const names = z.array(z.string().min(1))

export const config = z.object({
  disabled: names.default([]).meta({ description: 'Names of skills that are not offered.' }),
  platform_disabled: z
    .record(z.string(), names.meta({ description: 'Names of skills.' }))
    .default({})
    .meta({ description: 'Names of skills that are not offered on a platform, by its name: `telegram: [deploy]`.' }),
  external_dirs: names.default([]).meta({
    description: 'Folders with further skills of yours. A skill of SVC_HOME/skills comes before one of the same name.',
  }),
  index_bytes: z.number().int().min(200).max(16_000).default(2600).meta({
    description: 'Most bytes of the system prompt for the list of skills; longer lists are shortened.',
  }),
  config: z
    .record(
      z.string(),
      z
        .union([scalar, z.record(z.string(), scalar)])
        .meta({ description: 'The value of one setting; `wiki.path` may also be `path` in a block `wiki`.' }),
    )
    .default({})
    .meta({ description: 'Settings that skills ask for, by the key that the skill names.' }),
  write_approval: z.boolean().default(false).meta({
    description: 'What the agent creates, changes or retires waits until you approve it: `svc skills pending`.',
  }),
  template_vars: z
    .boolean()
    .default(true)
    .meta({ description: 'Replace ${SKILL_DIR} and ${SESSION_ID} in the texts of skills.' }),
  curator: z
    .object({
      enabled: z.boolean().default(true).meta({ description: 'Make passes over the skills that the agent wrote.' }),
      interval_hours: z.number().positive().default(168).meta({ description: 'Hours from one pass to the next.' }),
      min_idle_hours: z.number().positive().default(2).meta({ description: 'Hours without a turn before a pass.' }),
      stale_after_days: z.number().positive().default(30).meta({
        description: 'A skill of the agent that was not used for so many days is proposed to be retired.',
      }),
      archive_after_days: z.number().positive().default(90).meta({
        description: 'A skill of the agent that was not used for so many days is moved to the archive.',
      }),
      consolidate: z.boolean().default(false).meta({
        description:
          'In each pass also ask a model (`auxiliary.curator`) which skills could be one: one call, for proposals only.',
      }),
    })
    .prefault({})
    .meta({ description: 'Care for the skills that the agent wrote, while svc is idle.' }),
})

export type Config = z.infer<typeof config>
