/** The config block `web_terminal`. */
import { z } from 'zod'

export const config = z.object({
  shell: z.boolean().default(false).meta({
    description:
      'Offer a shell of this machine in the dashboard, beside the terminal UI. Who can sign in can then run anything.',
  }),
})
export type Config = z.infer<typeof config>
