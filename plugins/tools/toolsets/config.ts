/** The config block `tools`. */
import { z } from 'zod'

const names = z.array(z.string().min(1)).default([])

const lists = {
  enabled: names.meta({
    description: 'Toolsets or tools that are switched on although they are off unless named.',
  }),
  disabled: names.meta({
    description: 'Toolsets or tools that are switched off everywhere. A tool named itself outweighs its toolset.',
  }),
}

const ofSurface = z.object({
  enabled: names.meta({ description: 'Toolsets or tools that this surface has although it goes without them.' }),
  disabled: names.meta({ description: 'Toolsets or tools that this surface goes without.' }),
})

export const config = z.object({
  ...lists,
  surfaces: z
    .record(z.string(), ofSurface)
    .default({})
    .meta({ description: 'The same for one surface each: `cli`, `api`, `webhook`, `cron`, or a platform.' }),
})

export type Config = z.infer<typeof config>
