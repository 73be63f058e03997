/** A job with gaps: what a person fills in, and how the schedule and the prompt come of it. */

/** `time`: `08:30`. `weekdays`: `daily`, `weekdays`, `weekends` or days. `enum`: one of `options`. `text`: one line. */
export type FieldType = 'time' | 'enum' | 'text' | 'weekdays'

export interface BlueprintField {
  readonly name: string
  readonly type: FieldType
  readonly label: string
  /** Left out: a value has to be given, unless the field is optional. */
  readonly default?: string
  /** Of `enum`. */
  readonly options?: readonly string[]
  /** May be empty: sentences of the prompt that name it are left out then. */
  readonly optional?: boolean
  /** Of `enum`: false lets other values than the options be given. */
  readonly strict?: boolean
  readonly help?: string
  /** For messages, of a field without a default. */
  readonly example?: string
}

export interface Blueprint {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly category: string
  readonly tags: readonly string[]
  readonly fields: readonly BlueprintField[]
  /** As `CronJobs.parse` reads it, with `{field}`: a time stands for minute and hour, days for the last field of an expression. */
  readonly schedule: string
  /** Sentences with `{field}`. */
  readonly prompt: readonly string[]
  /** Of the job; left out: the key. */
  readonly name?: string
  /** The skill that brought it. */
  readonly skill?: string
  /** As `JobSettings` has them. */
  readonly settings?: { readonly skills: readonly string[]; readonly script?: string; readonly isScriptOnly: boolean }
}

/** Where results go. Each blueprint has it as its last field. */
export function deliverField(fallback = 'origin'): BlueprintField {
  return {
    name: 'deliver',
    type: 'enum',
    label: 'Deliver to',
    default: fallback,
    options: [...new Set(['origin', 'file', fallback])],
    strict: false,
    help: 'origin: the chat where it is made, else the home chat. file: a file only. Or a chat such as telegram:123.',
  }
}
