/** The block `hooks` of config.yaml, and the same groups in the file of a project. */
import { z } from 'zod'
import { EVENT_NAMES, type EventName, MAX_TIMEOUT } from './events.ts'

const command = z.strictObject({
  type: z.literal('command', 'svc runs hooks of the type "command" only').default('command'),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  timeout: z.number().positive().max(MAX_TIMEOUT).optional(),
  async: z.boolean().default(false),
  on_failure: z.enum(['ignore', 'block']).optional(),
  onFailure: z.enum(['ignore', 'block']).optional(),
  needs: z.array(z.string()).default([]),
})

const group = z.strictObject({
  matcher: z.string().default(''),
  hooks: z.array(command).min(1),
})

const groups = z.array(group).default([]).meta({ description: 'Groups of a matcher and the commands that it selects.' })

export type Group = z.infer<typeof group>
export type CommandEntry = z.infer<typeof command>

const events = Object.fromEntries(EVENT_NAMES.map((name) => [name, groups])) as Record<EventName, typeof groups>

/** What a file of a project may hold. */
export const projectFile = z.strictObject({ hooks: z.strictObject(events) })

export const config = z.strictObject({
  ...events,
  project: z.boolean().default(true).meta({
    description: 'Use the file .svc/hooks.yaml of a project, once a person has agreed to its content.',
  }),
  confine: z.enum(['auto', 'required', 'off']).default('auto').meta({
    description:
      'Hooks change the project only and reach no network: auto, where the machine can confine; required, or they fail; off, never.',
  }),
})

export type Config = z.infer<typeof config>
