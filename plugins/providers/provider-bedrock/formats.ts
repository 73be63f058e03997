/**
 * How models at Bedrock are told the form of an answer
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html and
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_OutputFormat.html).
 */
import { anthropicSchema, anthropicSupportsFormat } from 'svc/sdk/kit/wire'
import type { AnswerFormat, AnswerFormatSupport } from 'svc/sdk/provider'

const CLAUDE = /anthropic\.claude/
/** Families of which that page names models. One that it does not name is refused by the service, which says so. */
const OTHERS = /^([a-z]+\.)?(qwen|deepseek|mistral|google|nvidia|minimax|moonshot(ai)?|openai)\./

export function getFormatSupport(model: string): AnswerFormatSupport | undefined {
  if (CLAUDE.test(model)) return anthropicSupportsFormat(model)
  return OTHERS.test(model) ? { holds: 'schema' } : undefined
}

/** `outputConfig`; empty without a schema, or with one that the service would refuse. */
export function outputConfig({ name, description, schema }: AnswerFormat): object {
  const known = schema && anthropicSchema(schema)
  if (!known) return {}
  const jsonSchema = { schema: JSON.stringify(known), name, ...(description === undefined ? {} : { description }) }
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } }
}
