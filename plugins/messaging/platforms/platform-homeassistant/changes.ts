/** Which changes reach the agent, and in what words. */
import { setBounded } from 'svc/sdk/kit/state'
import { z } from 'zod'
import { type EntityState, entityState } from './api.ts'
import type { Watching } from './config.ts'

const stateChanged = z.object({
  event_type: z.literal('state_changed'),
  data: z.object({
    entity_id: z.string(),
    old_state: entityState.nullish(),
    new_state: entityState.nullish(),
  }),
})

/** An entity that has another state. */
export interface Change {
  readonly id: string
  readonly before: string
  readonly now: EntityState
}

/** Entities that are remembered. */
const MAX_REMEMBERED = 5000

/** Fields that people type into: what they typed is a message, however soon after another. */
const LETTERBOXES = ['input_text', 'text']

/** States of an entity that is not there. */
const GONE = ['unavailable', 'unknown']

/** Nothing is watched unless it is configured. */
export function watchesNothing(watching: Watching): boolean {
  return !watching.watch_all && watching.watch_domains.length === 0 && watching.watch_entities.length === 0
}

/** Drops unwanted changes: ignored, then not watched, then too soon after another, then without another state. */
export class ChangeFilter {
  readonly #watching: Watching
  readonly #now: () => number
  readonly #lastAt: Map<string, number> = new Map()
  readonly #known: Map<string, EntityState> = new Map()

  /** `now` in milliseconds. */
  constructor(watching: Watching, now: () => number) {
    this.#watching = watching
    this.#now = now
  }

  /** The change that an event tells of, when it is to reach the agent. */
  take(event: unknown): Change | undefined {
    const { data } = stateChanged.safeParse(event)
    if (!data?.data.new_state) return undefined
    const { old_state: old, new_state: now } = data.data
    return this.#judge(old?.state ?? 'unknown', now)
  }

  /** Changes from while svc was not connected, derived from the present state. The first state has no predecessor. */
  missed(now: EntityState): Change | undefined {
    const known = this.#known.get(now.entity_id)
    const isSame = known === undefined || known.last_changed === now.last_changed
    if (!isSame) return this.#judge(isLetterbox(now) ? '' : known.state, now)
    if (this.#isWatched(now.entity_id)) setBounded(this.#known, now.entity_id, now, MAX_REMEMBERED)
    return undefined
  }

  #judge(before: string, now: EntityState): Change | undefined {
    const { entity_id: id } = now
    if (!this.#isWatched(id)) return undefined
    setBounded(this.#known, id, now, MAX_REMEMBERED)
    if (isLetterbox(now) ? !now.state.trim() || GONE.includes(now.state) : this.#isTooSoon(id)) return undefined
    if (before === now.state) return undefined
    setBounded(this.#lastAt, id, this.#now(), MAX_REMEMBERED)
    return { id, before, now }
  }

  #isWatched(id: string): boolean {
    const {
      ignore_entities: ignored,
      watch_entities: entities,
      watch_domains: domains,
      watch_all: all,
    } = this.#watching
    if (ignored.includes(id)) return false
    return all || entities.includes(id) || domains.includes(getEntityDomain(id))
  }

  #isTooSoon(id: string): boolean {
    const last = this.#lastAt.get(id)
    return last !== undefined && this.#now() - last < this.#watching.cooldown_seconds * 1000
  }
}

function isLetterbox({ entity_id: id }: EntityState): boolean {
  return LETTERBOXES.includes(getEntityDomain(id))
}

export function getEntityDomain(id: string): string {
  return id.slice(0, id.indexOf('.'))
}

type Words = (name: string, change: Change) => string

const describeSwitch: Words = (name, { now }) => `${name} was turned ${now.state}`

/** Texts by kind of entity; a removed entity gets the general text. */
const STATE_TEXTS: Readonly<Record<string, Words>> = {
  light: describeSwitch,
  switch: describeSwitch,
  fan: describeSwitch,
  binary_sensor: (name, { now }) => `${name}: ${now.state === 'on' ? 'triggered' : 'cleared'}`,
  sensor: (name, { now, before }) => {
    const unit = toLineText(now.attributes['unit_of_measurement'])
    return `${name}: ${now.state}${unit && ` ${unit}`} (before: ${before})`
  },
  climate: (name, { now }) => {
    const { current_temperature: current, temperature: target } = now.attributes
    return `${name}: mode ${now.state}, now ${toLineText(current) || '?'}, set to ${toLineText(target) || '?'}`
  },
  alarm_control_panel: (name, { now, before }) => `Alarm ${name}: ${before} → ${now.state}`,
  input_text: (_, { now }) => now.state,
  text: (_, { now }) => now.state,
}

/** One line about a change. */
export function formatChange(change: Change): string {
  const { id, before, now } = change
  const name = toLineText(now.attributes['friendly_name']) || id
  const words = GONE.includes(now.state) ? undefined : STATE_TEXTS[getEntityDomain(id)]
  return words ? words(name, change) : `${name}: ${before} → ${now.state}`
}

function toLineText(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return text.replace(/\s+/g, ' ').slice(0, 200)
}
