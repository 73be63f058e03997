/** The work of the tools. */
import { SvcError } from 'svc/sdk'
import type { EntityState, HomeApi } from './api.ts'
import { getEntityDomain } from './changes.ts'
import type { CallService, GetState, ListEntities, ListServices } from './tools.ts'

const MAX_LINES = 200
const MAX_CHARS = 6000

/**
 * Domains whose services run commands, code or arbitrary requests, or manage the machine and its data. All that
 * a model needs has its own services.
 */
const FORBIDDEN = [
  'shell_command',
  'command_line',
  'python_script',
  'pyscript',
  'rest_command',
  'hassio',
  'homeassistant',
  'recorder',
  'backup',
  'downloader',
  'ffmpeg',
  'file',
  'folder_watcher',
  'mqtt',
  'logger',
  'system_log',
]

/** Of these a few are harmless. */
const ALLOWED = [
  'homeassistant.turn_on',
  'homeassistant.turn_off',
  'homeassistant.toggle',
  'homeassistant.update_entity',
]

export async function entities(api: HomeApi, { domain, area }: ListEntities, signal: AbortSignal): Promise<string> {
  const [all, inArea] = await Promise.all([api.states(signal), area && api.entitiesIn(area, signal)])
  const found = all.filter(({ entity_id: id }) => {
    return (domain === undefined || getEntityDomain(id) === domain) && (!inArea || inArea.includes(id))
  })
  if (found.length === 0) return 'No entities. Look without a domain or area.'
  return cut(
    found.map(formatEntityLine),
    MAX_LINES,
    (more) => `... and ${more} more. Name a domain (${formatDomains(found)}) or an area.`,
  )
}

export async function state(api: HomeApi, { entity_id: id }: GetState, signal: AbortSignal): Promise<string> {
  const { state: now, attributes, last_changed: since } = await api.state(id, signal)
  const text = JSON.stringify({ entity_id: id, state: now, since, attributes }, undefined, 1)
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}\n... (cut)`
}

export async function services(api: HomeApi, { domain }: ListServices, signal: AbortSignal): Promise<string> {
  const all = await api.services(signal)
  const shown = domain === undefined ? all : all.filter((each) => each.domain === domain)
  const lines = shown.flatMap(({ domain: of, services: offered }) => {
    if (domain === undefined) return [`${of}: ${Object.keys(offered).join(', ')}`]
    return Object.entries(offered).map(([name, { description, fields }]) => {
      const known = Object.keys((fields ?? {}) as object).join(', ')
      return `${of}.${name}(${known})${description && ` - ${description}`}`
    })
  })
  if (lines.length === 0) return `No services${domain === undefined ? '' : ` of ${domain}`}.`
  return cut(lines, MAX_LINES, (more) => `... and ${more} more. Name a domain.`)
}

export async function call(api: HomeApi, input: CallService, signal: AbortSignal): Promise<string> {
  const { domain, service, entity_id: id, data } = input
  const name = `${domain}.${service}`
  if (FORBIDDEN.includes(domain) && !ALLOWED.includes(name))
    throw new SvcError('HOMEASSISTANT_FORBIDDEN', `${name} is not called for a model. Ask the user to call it.`)
  const changed = await api.call(
    `${domain}/${service}`,
    { ...data, ...(id !== undefined && { entity_id: id }) },
    signal,
  )
  if (changed.length === 0) return `${name} was called. No state has changed yet.`
  return [`${name} was called. Changed:`, ...changed.slice(0, MAX_LINES).map(formatEntityLine)].join('\n')
}

function formatEntityLine({ entity_id: id, state: now, attributes }: EntityState): string {
  const { friendly_name: name, unit_of_measurement: unit } = attributes
  return `${id}: ${now.slice(0, 200)}${unit ? ` ${unit}` : ''}${name ? ` (${name})` : ''}`
}

function formatDomains(all: readonly EntityState[]): string {
  return [...new Set(all.map(({ entity_id: id }) => getEntityDomain(id)))].sort().join(', ')
}

/** Whole lines up to a bound, and what is missing. */
function cut(lines: readonly string[], most: number, rest: (more: number) => string): string {
  let length = 0
  const over = lines.findIndex((line, at) => {
    length += line.length + 1
    return at >= most || length > MAX_CHARS
  })
  return over < 0 ? lines.join('\n') : [...lines.slice(0, over), rest(lines.length - over)].join('\n')
}
