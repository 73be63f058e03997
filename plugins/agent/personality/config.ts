/** The config block `personality`. */
import { z } from 'zod'

export const config = z.object({
  current: z
    .string()
    .default('none')
    .meta({ description: 'Tone of the agent: `none`, a name that /personality lists, or one of `custom`.' }),
  custom: z
    .record(z.string(), z.string().min(1).max(4000).meta({ description: 'Instructions to the agent.' }))
    .default({})
    .meta({ description: 'Custom personalities: name and instructions.' }),
})

export type Config = z.infer<typeof config>
