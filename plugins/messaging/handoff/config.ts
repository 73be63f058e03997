/** The config block `handoff`. */
import { z } from 'zod'

const place = z.string().regex(/^[a-z0-9_-]+(:.+)?$/i)

export const config = z.object({
  mirrors: z
    .array(
      z.object({
        from: place.meta({
          description: 'The chat whose answers are mirrored: `<platform>:<chat id>`, with `:<thread>` behind it.',
        }),
        to: place.meta({ description: 'Where they go: such a chat, or `<platform>` for its home chat.' }),
      }),
    )
    .default([])
    .meta({ description: 'Answers of one chat that are also sent to another one.' }),
  request_minutes: z.number().positive().max(1440).default(10).meta({
    description: 'How long `/handoff` and `/mirror` wait for their confirmation in the other chat, in minutes.',
  }),
})
export type Config = z.infer<typeof config>
