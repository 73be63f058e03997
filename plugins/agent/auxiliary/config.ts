/** The block `auxiliary`: which model does which side work. */
import { z } from 'zod'

/** Seconds for slots that are not named here. */
const USUAL_SECONDS = 30

const model = z.string().min(1)
const baseUrl = z.string().default('').meta({
  description: 'Address of an OpenAI-compatible server, mostly ending in /v1. It is asked instead of `provider`.',
})
const keyEnv = z.string().default('').meta({
  description: 'The variable that holds the key of the server at `base_url`. Empty: it wants none.',
})

/** Made once: every slot has them, and a start makes eight slots. */
const shared = {
  provider: z.string().default('auto').meta({
    description: 'The provider. `auto`: that of the conversation; `custom:<name>`: the server at `providers.<name>`.',
  }),
  model: z.string().default('').meta({
    description: 'The id of the model. Empty: the one of the chat, or the newest that the server at `base_url` lists.',
  }),
  base_url: baseUrl,
  key_env: keyEnv,
}
const timeout = z.number().positive().max(3600)
const more = {
  temperature: z.number().min(0).max(2).optional().meta({ description: 'Sampling temperature.' }),
  reasoning: z.enum(['none', 'low', 'medium', 'high', 'xhigh']).optional().meta({
    description: 'Reasoning effort. Not set: the default of the model.',
  }),
  fallback_chain: z
    .array(z.object({ provider: model.default('auto'), model, base_url: baseUrl, key_env: keyEnv }))
    .default([])
    .meta({
      description:
        'Which models are called next, in order, before the model of the chat: `{ provider, model }` or `{ base_url, key_env, model }` each.',
    }),
}

const slot = (seconds: number) =>
  z
    .object({
      ...shared,
      timeout: timeout.default(seconds).meta({ description: 'Seconds one answer may take.' }),
      ...more,
    })
    .prefault({})

/** Of slots that are not named here. */
const usual = slot(USUAL_SECONDS)
const described = (seconds: number, what: string) => slot(seconds).meta({ description: what })

export const slots = {
  vision: described(120, 'Looks at pictures for a model that cannot.'),
  web_extract: described(360, 'Shortens web pages.'),
  compression: described(120, 'Sums up long conversations.'),
  title: described(30, 'Names a conversation after its first turn. Makes no call unless it has a model of its own.'),
  goal_judge: described(30, 'Judges whether a goal is reached.'),
  profile_describer: described(60, 'Writes what a profile is for.'),
  kanban_decomposer: described(180, 'Takes tasks of the kanban board apart.'),
  triage_specifier: described(120, 'Writes what a task of the kanban board is about.'),
  skills_hub: described(30, 'Reviews a skill of others: `svc skills inspect --deep`.'),
  curator: described(600, 'Proposes which skills of the agent could be one. Asked with `--consolidate` only.'),
  approval: described(30, 'Judges dangerous commands when `approvals.mode` is `smart`.'),
}

export const config = z
  .object({
    transient_retries: z.int().min(0).max(6).default(2).meta({
      description: 'Retries of a call that failed temporarily before the next model is asked.',
    }),
    ...slots,
  })
  .catchall(usual)

/** One slot, as it is configured. */
export type Slot = z.infer<ReturnType<typeof slot>>

/** The block. Slots that are not named here hold for side work of other plugins. */
export interface Config {
  readonly transient_retries: number
  readonly [slot: string]: Slot | number
}

/** The settings of a slot; the defaults for a slot that is not configured. */
export function getSlot(block: Config, name: string): Slot {
  const own = Object.hasOwn(block, name) ? block[name] : undefined
  return typeof own === 'object' ? own : usual.parse({})
}
