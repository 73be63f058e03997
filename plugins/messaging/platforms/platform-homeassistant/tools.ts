/** The tools for Home Assistant. */
import { defineTool, type Tool, type ToolCallView } from 'svc/sdk'
import { formatTitle, textIn } from 'svc/sdk/kit/views'
import { z } from 'zod'
import type { HomeApi } from './api.ts'

/** Ids as Home Assistant makes them: nothing else may get into an address. */
const name = z.string().regex(/^[a-z0-9_]{1,100}$/, 'lower-case letters, digits and underscores')
const entityId = z.string().regex(/^[a-z0-9_]{1,100}\.[a-z0-9_]{1,200}$/, 'domain.name, such as light.kitchen')

const listEntities = z.object({
  domain: name.optional().describe('light, sensor, ...'),
  area: z
    .string()
    .regex(/^[\p{L}\p{N} _'-]{1,100}$/u, 'the name of an area')
    .optional(),
})
const getState = z.object({ entity_id: entityId })
const listServices = z.object({ domain: name.optional() })
const callService = z.object({
  domain: name,
  service: name,
  entity_id: entityId.optional(),
  data: z.record(z.string(), z.unknown()).optional().describe('fields of the service'),
})

export type ListEntities = z.infer<typeof listEntities>
export type GetState = z.infer<typeof getState>
export type ListServices = z.infer<typeof listServices>
export type CallService = z.infer<typeof callService>

const work = () => import('./home.ts')

const FIELDS = ['domain', 'service', 'area', 'entity_id']

const view: ToolCallView = { title: ({ input }) => formatTitle(...FIELDS.map((key) => textIn(input, key))) }

/** Makes the tools. */
export function homeTools(api: () => HomeApi, missing: () => string | undefined): readonly Tool[] {
  const there = {
    toolset: 'homeassistant',
    reach: 'network',
    scope: { optIn: true, events: true },
    untrusted: true,
    missing,
    acts: () => ({ writes: [] }),
    view,
  } as const
  const reading = { ...there, effect: 'pure', parallel: true } as const
  return [
    defineTool<ListEntities>({
      name: 'ha_list_entities',
      description: 'Entities of Home Assistant with their states.',
      input: listEntities,
      ...reading,
      run: async (input, { signal }) => (await work()).entities(api(), input, signal),
    }),
    defineTool<GetState>({
      name: 'ha_get_state',
      description: 'State and attributes of an entity of Home Assistant.',
      input: getState,
      ...reading,
      run: async (input, { signal }) => (await work()).state(api(), input, signal),
    }),
    defineTool<ListServices>({
      name: 'ha_list_services',
      description: 'What Home Assistant can do; with a domain, the fields of each service.',
      input: listServices,
      ...reading,
      run: async (input, { signal }) => (await work()).services(api(), input, signal),
    }),
    defineTool<CallService>({
      name: 'ha_call_service',
      description: 'Call a service of Home Assistant: turn things on, set them, start scenes.',
      input: callService,
      effect: 'once',
      ...there,
      run: async (input, { signal }) => (await work()).call(api(), input, signal),
    }),
  ]
}
