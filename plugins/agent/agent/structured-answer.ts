/**
 * An answer of a given form at the end of a turn. A model that can be held to the form beside its tools is, in every call;
 * any other works as usual first and then gives its answer once more in the form, without tools. What does not fit may be
 * repaired once.
 */
import { SvcError } from 'svc/sdk'
import type { AnswerFormat, AnswerFormatSupport, ModelChoice, ToolDefinition } from 'svc/sdk/provider'
import { type FormatCheck, formatCheck } from './format-check.ts'

const MAX_REPAIRS = 1

/** What to do with an answer: it is the last one, the model is asked again, or the turn fails. */
export type ShapedAnswer =
  | { readonly kind: 'fits'; readonly text: string }
  | { readonly kind: 'again'; readonly say: string }
  | { readonly kind: 'misfit'; readonly message: string }

export class Shaping {
  readonly #format: AnswerFormat
  readonly #check: FormatCheck
  /** The form was asked for in words, so the next answer is the last one. */
  #isAsked = false
  /** The answer that was begun last is held to the form. */
  #isHeld = false
  #repairs = 0

  private constructor(format: AnswerFormat, check: FormatCheck) {
    this.#format = format
    this.#check = check
  }

  /** Undefined when any answer does. Rejects with `AGENT_FORMAT_INVALID`. */
  static async of(format: AnswerFormat | undefined): Promise<Shaping | undefined> {
    return format && new Shaping(format, await formatCheck(format))
  }

  /** Whether a partial answer is useless: it cannot be continued. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  /** The tools of the next call. */
  tools(choice: ModelChoice, tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    return this.#isAsked && !getFormatSupport(choice)?.besideTools ? [] : tools
  }

  /** The form that the next call is held to. */
  begin(choice: ModelChoice, tools: readonly ToolDefinition[]): AnswerFormat | undefined {
    const support = getFormatSupport(choice)
    const knowsSchema = support?.holds === 'schema' && this.#format.schema !== undefined
    this.#isHeld = support !== undefined && (this.#isAsked || (knowsSchema && (!tools.length || !!support.besideTools)))
    return this.#isHeld ? this.#format : undefined
  }

  canAsk(choice: ModelChoice): boolean {
    return getFormatSupport(choice) !== undefined
  }

  /** What is said to the model that has to give its last answer now. */
  ask(): string {
    this.#isAsked = true
    return `Give your final answer now as JSON and nothing else${this.#schemaInWords()}`
  }

  /** Judges the text of an answer that ends the turn. */
  judge(text: string): ShapedAnswer {
    const checked = this.#check(text)
    if ('json' in checked) return { kind: 'fits', text: checked.json }
    if (!this.#isHeld && !this.#isAsked) return { kind: 'again', say: this.ask() }
    const { problem } = checked
    if (this.#repairs++ >= MAX_REPAIRS) return { kind: 'misfit', message: misfit(problem) }
    this.#isAsked = true
    return { kind: 'again', say: `This answer does not have the required form: ${problem} ${this.ask()}` }
  }

  #schemaInWords(): string {
    const { schema, description } = this.#format
    const about = description ? ` It is: ${description}` : ''
    if (!schema) return `: one JSON object.${about}`
    return `, a value that is valid against this JSON Schema:\n${JSON.stringify(schema)}${about && `\n${about.trim()}`}`
  }
}

function getFormatSupport({ provider, model }: ModelChoice): AnswerFormatSupport | undefined {
  return provider.formats?.(model)
}

function misfit(problem: string): string {
  return `The model did not give its answer in the form that was asked for, also when told what is wrong: ${problem}`
}

/** Why an answer of this model cannot have this form. */
export async function formatProblem(choice: ModelChoice, format: AnswerFormat): Promise<SvcError | undefined> {
  if (getFormatSupport(choice) === undefined) return unsupported(choice)
  try {
    await formatCheck(format)
    return undefined
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
}

function unsupported({ provider, model }: ModelChoice): SvcError {
  const message = `${model} at ${provider.label} cannot be held to a format of its answers. Leave the format out or choose another model.`
  return new SvcError('AGENT_FORMAT_UNSUPPORTED', message, { status: 400 })
}
