/** One value of a blueprint: a time, days, a choice or a line of text. */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { bind } from '../client/fields.ts'
import { language } from '../client/language.ts'
import type { ResultOf } from '../client/typed.ts'
import { Select, TextField } from '../ui/parts.tsx'

export type Blueprint = ResultOf<'GET', '/api/cron/blueprints'>['blueprints'][number]
type Field = Blueprint['fields'][number]

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  daily: DAYS,
  weekdays: DAYS.slice(0, 5),
  weekends: DAYS.slice(5),
}

/** `problem` is why the server refused the value. */
export function BlueprintField({
  field,
  value,
  problem,
}: {
  field: Field
  value: Signal<string>
  problem: string | undefined
}) {
  const help = problem === undefined ? field.help : <span role="alert">{problem}</span>
  if (field.type === 'weekdays') return <DaysField label={field.label} help={help} value={value} />
  if (field.type === 'enum' && field.strict)
    return (
      <Select label={field.label} help={help} options={field.options.map((each) => [each, each])} {...bind(value)} />
    )
  return (
    <>
      <TextField
        label={field.label}
        help={help}
        type={field.type === 'time' ? 'time' : 'text'}
        required={!field.optional}
        maxLength={500}
        list={field.options.length > 0 ? `options-${field.name}` : undefined}
        aria-invalid={problem !== undefined}
        {...bind(value)}
      />
      {field.options.length > 0 && (
        <datalist id={`options-${field.name}`}>
          {field.options.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  )
}

function DaysField({ label, help, value }: { label: string; help: ComponentChildren; value: Signal<string> }) {
  const id = useId()
  const days = useSignal<readonly string[]>(GROUPS[value.value] ?? value.value.split(','))
  const toggle = (day: string, isOn: boolean) => {
    days.value = DAYS.filter((each) => (each === day ? isOn : days.value.includes(each)))
    value.value = days.value.join(',')
  }
  return (
    <fieldset class="field days" aria-describedby={help ? id : undefined}>
      <legend>{label}</legend>
      {DAYS.map((day, at) => (
        <label key={day}>
          <input
            type="checkbox"
            checked={days.value.includes(day)}
            onChange={(event) => toggle(day, event.currentTarget.checked)}
          />{' '}
          {formatDay(at)}
        </label>
      ))}
      {help && (
        <p class="help" id={id}>
          {help}
        </p>
      )}
    </fieldset>
  )
}

/** 2024 began on a Monday. */
const formatDay = (at: number) =>
  new Intl.DateTimeFormat(language.value, { weekday: 'short', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + at))
