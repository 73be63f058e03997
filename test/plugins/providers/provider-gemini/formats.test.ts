import { expect, test } from 'vitest'
import { getFormatSupport } from '../../../../plugins/providers/provider-gemini/formats.ts'
import { contentBody } from '../../../../plugins/providers/provider-gemini/wire.ts'
import { anyObject, weather } from '../../../support/answer-format.ts'
import { request } from '../../../support/ask-model.ts'

test('the schema is in the configuration of the answer', () => {
  const mime = { responseMimeType: 'application/json' }
  expect(contentBody(request({ format: weather })).generationConfig).toEqual({
    ...mime,
    responseJsonSchema: weather.schema,
  })
  expect(contentBody(request({ format: anyObject })).generationConfig).toEqual(mime)
})

test.each([
  ['gemini-3-pro-preview', { holds: 'schema', besideTools: true }],
  ['models/gemini-2.5-flash', { holds: 'schema' }],
  ['gemini-3-pro-image-preview', undefined],
  ['gemma-3-27b-it', undefined],
])('%s of Google is held to %j', (model, support) => {
  expect(getFormatSupport(model)).toEqual(support)
})
