/** The config of the plugin. */
import { platformConfigSchema } from 'svc/sdk/platform'
import { z } from 'zod'

const names = z.array(z.string().trim()).default([])

const own = z.object({
  url: z.string().default('http://homeassistant.local:8123').meta({
    description: 'Address of Home Assistant, when HASS_URL is not set; the token is sent there.',
  }),
  watch_domains: names.meta({ description: 'Kinds of entities whose changes reach the agent: light, binary_sensor.' }),
  watch_entities: names.meta({ description: 'Entities whose changes reach the agent, besides: sensor.garden.' }),
  ignore_entities: names.meta({ description: 'Entities whose changes never do.' }),
  watch_all: z.boolean().default(false).meta({ description: 'Every change of every entity reaches the agent.' }),
  cooldown_seconds: z.number().min(0).default(30).meta({
    description: 'Seconds after a change in which others of the same entity are dropped.',
  }),
})
export type Watching = Pick<
  z.infer<typeof own>,
  'watch_domains' | 'watch_entities' | 'ignore_entities' | 'watch_all' | 'cooldown_seconds'
>

/** There is one chat. */
export const CHAT = 'ha_events'

export const config = platformConfigSchema(own, { home_channel: CHAT, streaming: false, typing_indicator: false })
