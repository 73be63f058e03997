/** Whether a text is JSON of the form that was asked for. */
import { SvcError } from 'svc/sdk'
import { formatIssuePath } from 'svc/sdk/host'
import type { AnswerFormat } from 'svc/sdk/provider'

/** The JSON text, or a sentence that says what is wrong with the answer. */
export type FormatCheck = (text: string) => { readonly json: string } | { readonly problem: string }

const NAME = /^[\w-]{1,64}$/
/** Some models put their JSON into a code block, and nothing else around it. */
const FENCED = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/
const MAX_PROBLEMS = 5

/** Rejects with `AGENT_FORMAT_INVALID` when the schema is not one that answers can be checked against. */
export async function formatCheck({ name, schema }: AnswerFormat): Promise<FormatCheck> {
  if (!NAME.test(name)) throw invalid(`its name "${name.slice(0, 100)}" is not 1 to 64 letters, digits, _ and -`)
  const { z } = await import('zod')
  const fits = schema === undefined ? z.record(z.string(), z.unknown()) : parsed(() => z.fromJSONSchema(schema))
  return (text) => {
    const json = FENCED.exec(text)?.[1] ?? text.trim()
    const value = parseJson(json)
    if (value === undefined) return { problem: 'It is not JSON.' }
    const issues = fits.safeParse(value.value).error?.issues ?? []
    if (issues.length === 0) return { json }
    const problems = issues
      .slice(0, MAX_PROBLEMS)
      .map((issue) => `${formatIssuePath(issue) || 'The value'}: ${issue.message}`)
    return { problem: problems.join('; ') }
  }
}

function parseJson(json: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(json) }
  } catch {
    return undefined
  }
}

/** References are followed when a value is checked first: an odd schema may fail only then. */
function parsed<T extends { safeParse(value: unknown): unknown }>(make: () => T): T {
  try {
    const schema = make()
    schema.safeParse(undefined)
    schema.safeParse({})
    return schema
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error))
  }
}

function invalid(why: string): SvcError {
  return new SvcError('AGENT_FORMAT_INVALID', `The format of the answer is not valid: ${why}.`.replace(/\.\.$/, '.'), {
    status: 400,
  })
}
