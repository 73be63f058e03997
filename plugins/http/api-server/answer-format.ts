/**
 * The form of an answer that a client asks for: `response_format` of chat completions and `text.format` of responses
 * (https://platform.openai.com/docs/guides/structured-outputs).
 */
import { Agent } from 'svc/sdk'
import type { AnswerFormat } from 'svc/sdk/provider'
import { z } from 'zod'
import type { Api } from './api.ts'
import { about, createFieldError } from './envelope.ts'
import { routeTo } from './turns.ts'

const schemaFormat = z.looseObject({
  name: z.string().regex(/^[\w-]{1,64}$/, 'has 1 to 64 letters, digits, _ and -'),
  description: z.string().nullish(),
  schema: z.record(z.string(), z.unknown()),
  strict: z.boolean().nullish(),
})

type Fields = Readonly<Record<string, unknown>>

/** Rejects for a form that is malformed, or that the model which this request gets cannot be held to. */
export async function readAnswerFormat(
  api: Api,
  body: Fields & { readonly model?: string | undefined },
): Promise<AnswerFormat | undefined> {
  const [param, given] = readFormatParameter(body)
  const format = parseFormat(param, given)
  if (!format) return undefined
  const problem = await api.ctx.use(Agent).formatProblem({ ...routeTo(api.ctx.config, body.model), format })
  if (problem) throw about(param, problem)
  return format
}

function readFormatParameter(body: Fields): readonly [param: string, value: unknown] {
  const chat = body['response_format']
  if (chat !== undefined && chat !== null) return ['response_format', chat]
  const text = body['text']
  return ['text.format', typeof text === 'object' && text !== null ? (text as Fields)['format'] : undefined]
}

function parseFormat(param: string, given: unknown): AnswerFormat | undefined {
  if (given === undefined || given === null) return undefined
  const { type, json_schema: inner } = (typeof given === 'object' ? given : {}) as Fields
  if (type === 'text') return undefined
  if (type === 'json_object') return { name: 'answer' }
  if (type !== 'json_schema')
    throw createFieldError(`${param}.type`, `${param}.type is text, json_object or json_schema.`)
  const [place, schema] = param === 'text.format' ? [param, given] : [`${param}.json_schema`, inner]
  const result = schemaFormat.safeParse(schema)
  if (!result.success) {
    const [issue] = result.error.issues
    const field = [place, ...(issue?.path ?? [])].join('.')
    throw createFieldError(field, `${field}: ${issue?.message ?? 'is wrong'}.`)
  }
  const { name, description, strict } = result.data
  return {
    name,
    schema: result.data.schema,
    ...(typeof description === 'string' && { description }),
    ...(typeof strict === 'boolean' && { strict }),
  }
}
