/** A form of answers, for tests of wires. */
import type { AnswerFormat } from 'svc/sdk/provider'

export const weather = {
  name: 'weather',
  description: 'The weather.',
  schema: {
    type: 'object',
    properties: { degrees: { type: 'integer', minimum: -90 } },
    required: ['degrees'],
    additionalProperties: false,
  },
  strict: true,
} as const satisfies AnswerFormat

/** Any JSON object. */
export const anyObject = { name: 'any' } as const satisfies AnswerFormat
