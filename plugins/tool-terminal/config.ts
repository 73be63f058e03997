/** The config block `terminal`. */
import { z } from 'zod'

export const config = z.object({
  timeout: z
    .number()
    .positive()
    .max(600)
    .default(180)
    .meta({ description: 'Seconds a command may take when the model names no time of its own; at most 600.' }),
  persistent_shell: z.boolean().default(true).meta({
    description: 'Keep one shell per session, so that folder, variables and functions last between commands.',
  }),
  env_passthrough: z.array(z.string()).default([]).meta({
    description: 'Names of environment variables that commands may see although they look like secrets.',
  }),
})

export type Config = z.infer<typeof config>
