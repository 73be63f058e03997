import { Providers } from 'svc/sdk/provider'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { type Vendor, vendors } from '../../../../plugins/providers/provider-anthropic/vendors.ts'
import { messagesBody } from '../../../../plugins/providers/provider-anthropic/wire.ts'
import { anyObject, weather } from '../../../support/answer-format.ts'
import { request } from '../../../support/ask-model.ts'

const [anthropic] = vendors as unknown as [Vendor]
const createBody = (more: Parameters<typeof request>[0]) => messagesBody(request(more), anthropic, { cache_ttl: '5m' })
const schema = {
  ...weather.schema,
  properties: { degrees: { type: 'integer', description: '{minimum: -90}' } },
}

test('the schema is beside how hard the model thinks', () => {
  const format = { type: 'json_schema', schema }
  expect(createBody({ model: 'claude-haiku-4-5', format: weather }).output_config).toEqual({ format })
  expect(createBody({ model: 'claude-opus-4-6', format: weather, reasoning: 'high' }).output_config).toEqual({
    effort: 'high',
    format,
  })
})

test('what the service cannot be told is left out', () => {
  expect(createBody({ model: 'claude-haiku-4-5', format: anyObject })).not.toHaveProperty('output_config')
  const format = { name: 'tree', schema: { type: 'object', properties: { child: { $ref: '#' } } } }
  expect(createBody({ model: 'claude-haiku-4-5', format })).not.toHaveProperty('output_config')
})

test('Claude can be held to a form, and what imitates it cannot', async () => {
  const kernel = await testKernel({ plugins: ['provider-anthropic'] })
  const formats = (name: string) => kernel.all(Providers).get(name)?.formats?.('claude-haiku-4-5')
  expect(formats('anthropic')).toEqual({ holds: 'schema', besideTools: true })
  expect(formats('minimax')).toBeUndefined()
  await kernel.stop()
})
