/** The config block `approvals`. */
import { z } from 'zod'

export const config = z.object({
  mode: z.enum(['manual', 'smart', 'off']).default('manual').meta({
    description:
      'Ask before dangerous commands (`manual`), let the model of `auxiliary.approval` spare questions (`smart`), or run them unasked (`off`). Some are never run.',
  }),
  timeout: z.number().positive().max(570).default(60).meta({
    description:
      'Seconds to wait for an answer in chats and through the API; then it is denied. At a terminal there is no limit.',
  }),
  destructive_slash_confirm: z.boolean().default(true).meta({
    description: 'Ask before slash commands that throw something away: /new, /reset, /clear, /undo.',
  }),
  deny: z.array(z.string().min(1)).default([]).meta({
    description: 'Commands that are never run, with `*` for any text: `git push*`. They hold in every mode.',
  }),
  cron_mode: z.enum(['deny', 'approve']).default('deny').meta({
    description: 'Dangerous commands of unattended scheduled jobs: `deny` or `approve`.',
  }),
  unknown: z.enum(['ask', 'allow']).default('ask').meta({
    description:
      'Commands that are not fully understood, where nothing confines them: `ask` about them or `allow` them.',
  }),
  allow: z.array(z.string().min(1)).default([]).meta({
    description: 'Commands that need no question, with `*` for any text. Only for commands without shell operators.',
  }),
})

export type Config = z.infer<typeof config>
