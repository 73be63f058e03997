/** A form of a server, asked of the person field by field. */
import type { Person, PersonOptions } from 'svc/sdk'
import { escapeUnseen, safeLine } from 'svc/sdk/kit/terminal'
import type { ElicitAnswer, ElicitQuestion } from './peer.ts'

const MAX_FIELDS = 20
const MAX_SHOWN = 2000

type Field = Readonly<Record<string, unknown>>
type Value = string | number | boolean | string[]

/** Texts of a server as a person may read them: on one line, with nothing hidden. */
export function shown(text: string): string {
  return escapeUnseen(safeLine(text)).slice(0, MAX_SHOWN)
}

/** `from` says who asks and why. */
export async function askForm(
  person: Person,
  from: string,
  { requestedSchema = {} }: ElicitQuestion,
  options: PersonOptions,
): Promise<ElicitAnswer> {
  const { properties = {}, required = [] } = requestedSchema
  const fields = Object.entries(properties).slice(0, MAX_FIELDS)
  if (fields.length === 0) {
    const answer = await person.confirm(from, options)
    return answer === true ? { action: 'accept', content: {} } : { action: answer === false ? 'decline' : 'cancel' }
  }
  const content: Record<string, Value> = {}
  for (const [name, field] of fields) {
    const isRequired = required.includes(name)
    const value = await askField(person, formatQuestion(from, name, field, isRequired), field, options)
    if (value === undefined) return { action: 'cancel' }
    // Left empty: the server fills in its default.
    if (value !== '' || (isRequired && field['default'] === undefined)) content[name] = value
  }
  return { action: 'accept', content }
}

function formatQuestion(from: string, name: string, field: Field, isRequired: boolean): string {
  const label = shown(String(field['title'] ?? name))
  const about = field['description'] === undefined ? '' : ` (${shown(String(field['description']))})`
  return `${from}\n${label}${about}${isRequired ? '' : ' [may be empty]'}`
}

/** Undefined: the person cancelled. */
async function askField(
  person: Person,
  text: string,
  field: Field,
  options: PersonOptions,
): Promise<Value | undefined> {
  if (field['type'] === 'boolean') return person.confirm(text, options)
  if (field['type'] === 'array') return askSeveral(person, text, listChoices(field['items'] as Field), options)
  const choices = listChoices(field)
  if (choices.length > 0) return person.choose({ title: text, items: choices }, options)
  if (field['type'] === 'number' || field['type'] === 'integer')
    return askNumber(person, text, field['type'] === 'integer', options)
  return person.ask(text, options)
}

async function askSeveral(
  person: Person,
  text: string,
  choices: readonly Choice[],
  options: PersonOptions,
): Promise<string[] | undefined> {
  const ids = choices.map(({ id }) => id)
  const answer = await person.ask(`${text}\nSeveral, separated by commas: ${shown(ids.join(', '))}`, options)
  const named = answer?.split(',').map((each) => each.trim())
  return named?.filter((each) => ids.includes(each))
}

/** Asks again until the answer is a number, or empty. */
async function askNumber(
  person: Person,
  text: string,
  isWhole: boolean,
  options: PersonOptions,
): Promise<number | '' | undefined> {
  for (;;) {
    const answer = await person.ask(text, options)
    if (answer === undefined) return undefined
    if (answer.trim() === '') return ''
    const number = Number(answer)
    if (isWhole ? Number.isInteger(number) : Number.isFinite(number)) return number
  }
}

interface Choice {
  readonly id: string
  readonly label: string
}

/** The forms of enumerations that the protocol had: `enum`, `enumNames`, `oneOf`, `anyOf`. */
function listChoices(field: Field = {}): readonly Choice[] {
  const named = field['oneOf'] ?? field['anyOf']
  if (Array.isArray(named))
    return named.map(({ const: id, title }: Field) => ({ id: String(id), label: shown(String(title ?? id)) }))
  const names = Array.isArray(field['enumNames']) ? field['enumNames'] : []
  const values = Array.isArray(field['enum']) ? field['enum'] : []
  return values.map((id: unknown, at) => ({ id: String(id), label: shown(String(names[at] ?? id)) }))
}
