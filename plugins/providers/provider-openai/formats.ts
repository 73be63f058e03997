/**
 * How services of this wire are told the form of an answer
 * (https://platform.openai.com/docs/guides/structured-outputs, and the pages of the vendors on `response_format`).
 */
import type { AnswerFormat, AnswerFormatSupport } from 'svc/sdk/provider'
import type { CatalogEntry } from './catalog.ts'

/**
 * `beside-tools`: a schema, also in a call that offers tools. `alone`: a schema, without tools. `json`: some JSON object,
 * without tools.
 */
export type Formats = 'beside-tools' | 'alone' | 'json'

/** Models of OpenAI from before structured outputs. */
const WITHOUT_SCHEMA = /^(gpt-3\.5|gpt-4(-\d|-turbo|$)|chatgpt-)/

export function chooseFormats({ formats = 'alone' }: Pick<CatalogEntry, 'formats'>, model: string): Formats {
  return WITHOUT_SCHEMA.test(model) ? 'json' : formats
}

export function getFormatSupport(entry: CatalogEntry, model: string): AnswerFormatSupport {
  const formats = chooseFormats(entry, model)
  if (formats === 'json') return { holds: 'json' }
  return { holds: 'schema', ...(formats === 'beside-tools' ? { besideTools: true } : {}) }
}

/** `response_format` of chat completions. */
export function chatFormat(format: AnswerFormat, formats: Formats): object {
  if (format.schema === undefined || formats === 'json') return { type: 'json_object' }
  return { type: 'json_schema', json_schema: createSchemaFormat(format) }
}

/** `text.format` of responses. */
export function responsesFormat(format: AnswerFormat, formats: Formats): object {
  if (format.schema === undefined || formats === 'json') return { type: 'json_object' }
  return { type: 'json_schema', ...createSchemaFormat(format) }
}

function createSchemaFormat({ name, description, schema, strict }: AnswerFormat): object {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    schema,
    ...(strict === undefined ? {} : { strict }),
  }
}
