/** Fills a blueprint: values are checked, and the schedule and the prompt are made from them. Pure. */
import { SvcError } from 'svc/sdk'
import { findThreat } from 'svc/sdk/kit/text'
import type { Blueprint, BlueprintField } from './blueprint.ts'
import { readDays, toCronDays } from './weekdays.ts'

const MAX_VALUE = 500

export type Values = Readonly<Record<string, string>>

export interface FilledBlueprint {
  /** Each field, defaults included, in its common form; empty where an optional one was left out. */
  readonly values: Values
  readonly name: string
  readonly schedule: string
  readonly prompt: string
  readonly deliver: readonly string[]
}

/** Throws `BLUEPRINT_VALUE` with the field. */
export function fillBlueprint(blueprint: Blueprint, given: Values): FilledBlueprint {
  for (const name of Object.keys(given))
    if (!blueprint.fields.some((field) => field.name === name)) refuse(blueprint, name)
  const values: Values = Object.fromEntries(
    blueprint.fields.map((field) => [field.name, readValue(blueprint, field, given[field.name])]),
  )
  const sentences = blueprint.prompt.filter((sentence) => listNames(sentence).every((name) => values[name] !== ''))
  return {
    values,
    name: replaceNames(blueprint.name ?? blueprint.key, values).slice(0, 80),
    schedule: replaceNames(blueprint.schedule, toCronValues(blueprint, values)),
    prompt: sentences.map((sentence) => replaceNames(sentence, values)).join(' '),
    deliver: (values['deliver'] ?? '').split(',').map((target) => target.trim()),
  }
}

/** One `slot=value` that completes the blueprint, for messages; undefined where nothing is missing. */
export function formatExample({ fields }: Blueprint): string | undefined {
  const needed = fields.filter((field) => field.default === undefined && field.optional !== true)
  if (needed.length === 0) return undefined
  return needed.map(({ name, example }) => `${name}="${example ?? '…'}"`).join(' ')
}

function readValue(blueprint: Blueprint, field: BlueprintField, given: string | undefined): string {
  const text = (given ?? field.default ?? '').replaceAll(/\s+/g, ' ').trim()
  if (text === '') {
    if (field.optional === true) return ''
    const example = formatExample(blueprint) ?? `${field.name}="${field.default ?? ''}"`
    throw wrong(field, `${blueprint.key} needs ${field.name} (${field.label}). Example: ${example}`)
  }
  if (text.length > MAX_VALUE) throw wrong(field, `${field.name} has at most ${MAX_VALUE} characters.`)
  const threat = findThreat(text)
  if (threat !== undefined) throw wrong(field, `${field.name} cannot be used: ${threat}.`)
  return readTyped(field, text)
}

function readTyped(field: BlueprintField, text: string): string {
  switch (field.type) {
    case 'text':
      return text
    case 'time': {
      const [, hour, minute = '00'] = /^([01]?\d|2[0-3])(?::([0-5]\d))?$/.exec(text) ?? []
      if (hour === undefined) throw wrong(field, `${field.name} is a time such as 08:30, not "${text}".`)
      return `${hour.padStart(2, '0')}:${minute}`
    }
    case 'weekdays': {
      const days = readDays(text)
      if (days !== undefined) return days
      throw wrong(field, `${field.name} is daily, weekdays, weekends, or days such as mon,wed,fri, not "${text}".`)
    }
    case 'enum': {
      const option = field.options?.find((each) => each.toLowerCase() === text.toLowerCase())
      if (option !== undefined) return option
      if (field.strict === false) return text
      throw wrong(field, `${field.name} is one of ${field.options?.join(', ')}, not "${text}".`)
    }
  }
}

function toCronValues({ fields }: Blueprint, values: Values): Values {
  return Object.fromEntries(
    fields.map(({ name, type }) => {
      const value = values[name] ?? ''
      if (type === 'weekdays') return [name, toCronDays(value)]
      const [hour, minute] = value.split(':').map(Number)
      return [name, type === 'time' ? `${minute} ${hour}` : value]
    }),
  )
}

const NAME = /\{([a-z]+)\}/g

const listNames = (text: string): readonly string[] => [...text.matchAll(NAME)].map(([, name = '']) => name)

/** In one pass: a value that has braces of its own stays as it is. */
function replaceNames(text: string, values: Values): string {
  return text.replace(NAME, (whole, name: string) => values[name] ?? whole)
}

function refuse({ key, fields }: Blueprint, name: string): never {
  const names = fields.map((field) => field.name)
  const message = `${key} has no value "${name.slice(0, 60)}". It takes: ${names.join(', ')}.`
  throw new SvcError('BLUEPRINT_VALUE', message, { status: 422, param: name.slice(0, 60) })
}

function wrong({ name }: BlueprintField, message: string): SvcError {
  return new SvcError('BLUEPRINT_VALUE', message, { status: 422, param: name })
}
