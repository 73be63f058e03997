/** Session fields that clients set besides the title: the model and the end. */
import { defineSessionState, type SessionState } from 'svc/sdk'
import { z } from 'zod'

const schema = z.object({
  /** A name as clients give it: one of `model_routes`, or one that is only shown. */
  model: z.string().optional(),
  /** Milliseconds since 1970. */
  endedAt: z.number().optional(),
  endReason: z.string().optional(),
})
export type SessionSettings = z.infer<typeof schema>

export const SessionSettings: SessionState<SessionSettings> = defineSessionState('api-sessions:settings', {
  undo: 'keeps',
  parse: (value) => schema.safeParse(value).data,
})
