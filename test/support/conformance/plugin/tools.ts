import type { Schema } from 'svc/sdk'
import {
  defineMcpTool,
  type McpClientCall,
  type McpContent,
  type McpExportResult,
  type McpExportTool,
  type McpForm,
} from 'svc/sdk/mcp'
import { z } from 'zod'
import { PICTURE, SOUND } from './media.ts'

type Run = (call: McpClientCall) => McpExportResult | string | Promise<McpExportResult | string>

function tool(name: string, run: Run, input?: Schema<unknown>): McpExportTool {
  const described = { name, description: `For the suite: ${name}.` }
  return defineMcpTool({ ...described, input: input ?? z.object({}), run: (_input, call) => run(call) })
}

const content = (...parts: readonly McpContent[]): McpExportResult => ({ content: parts })
const embedded = (uri: string, mimeType: string, text: string): McpContent => ({
  type: 'resource',
  resource: { uri, mimeType, text },
})

const keywords: Schema<unknown> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => ({ value }),
    jsonSchema: {
      input: () => ({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: { address: { type: 'object', properties: { city: { type: 'string' } } } },
        properties: { address: { $ref: '#/$defs/address' } },
        additionalProperties: false,
      }),
    },
  },
}

const asks = (form: McpForm) => async (call: McpClientCall) => JSON.stringify(await call.fillIn?.(form))

const name: McpForm = {
  message: 'Please provide your information',
  fields: { username: { type: 'string' }, email: { type: 'string' } },
  required: ['username', 'email'],
}
const defaults: McpForm = {
  message: 'Are these right?',
  fields: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
}
const [plain, titled] = [
  ['option1', 'option2', 'option3'],
  [
    { const: 'value1', title: 'First' },
    { const: 'value2', title: 'Second' },
  ],
]
const choices: McpForm = {
  message: 'Which?',
  fields: {
    untitledSingle: { type: 'string', enum: plain },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['One', 'Two'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  },
}

export const tools: readonly McpExportTool[] = [
  tool('test_audio_content', () => content({ type: 'audio', data: SOUND, mimeType: 'audio/wav' })),
  tool('test_embedded_resource', () => content(embedded('test://embedded-resource', 'text/plain', 'Embedded.'))),
  tool('test_multiple_content_types', () =>
    content(
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PICTURE, mimeType: 'image/png' },
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data"}'),
    ),
  ),
  defineMcpTool({
    name: 'test_sampling',
    description: 'Asks the model of the client.',
    input: z.object({ prompt: z.string() }),
    async run({ prompt }, call) {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }] as const
      return JSON.stringify(await call.sample?.({ messages, maxTokens: 100 }))
    },
  }),
  tool('test_elicitation', asks(name)),
  tool('test_elicitation_sep1034_defaults', asks(defaults)),
  tool('test_elicitation_sep1330_enums', asks(choices)),
  tool('json_schema_2020_12_tool', () => 'done', keywords),
]
