/** What was installed: `skills/.hub/lock.json` in the home, shared by all processes. */
import { z } from 'zod'

export const entrySchema = z.object({
  source: z.string(),
  identifier: z.string(),
  trust: z.enum(['builtin', 'user', 'trusted', 'model', 'community']),
  verdict: z.enum(['safe', 'caution', 'dangerous']),
  /** As `SkillFolder.hash`. */
  hash: z.string(),
  /** Relative to the folder of skills. */
  path: z.string(),
  installedAt: z.number(),
  updatedAt: z.number(),
})

export const lockSchema = z.object({ skills: z.record(z.string(), entrySchema), taps: z.array(z.string()) })

export type LockEntry = z.infer<typeof entrySchema>
export type LockFile = z.infer<typeof lockSchema>
