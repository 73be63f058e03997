import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { defineTool, type Schema, type Tool, type ToolContext, type ToolResult } from 'svc/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { served } from '../plugins/mcp/mcp-serve/client.ts'
import { KEY, startServer } from '../plugins/mcp/mcp-serve/http.ts'
import { runConformance, startProxy } from '../support/conformance/run.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('a client starts svc, has a file written by the agent, calls a chosen tool, and reads the conversation', async () => {
  const [home, work] = [temporaryFolder(), temporaryFolder()]
  writeFiles(home, { 'config.yaml': 'model: { provider: demo, default: demo }\nmcp_serve: { tools: [read_file] }\n' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(root, 'dist/kernel/bin.cjs'), 'mcp', 'serve'],
    env: { PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home },
    cwd: work,
    stderr: 'ignore',
  })
  const client = new Client({ name: 'desktop', version: '1' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const names = (await client.listTools()).tools.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['chat', 'list_sessions', 'list_skills', 'read_file']))
  const chat = await client.callTool({ name: 'chat', arguments: { message: "write 'hello' to notes.txt" } })
  const { session_id } = chat.structuredContent as { session_id: string }
  const file = await client.callTool({ name: 'read_file', arguments: { path: join(work, 'notes.txt') } })
  expect(JSON.stringify(file.content)).toContain('hello')
  const read = await client.callTool({ name: 'read_session', arguments: { session_id } })
  expect(JSON.stringify(read.content)).toContain('notes.txt')
})

const empty = z.object({})

function tool(
  name: string,
  run: (turn: ToolContext) => ToolResult | string | Promise<string>,
  input?: Schema<unknown>,
): Tool {
  const described = { name, description: `For the suite: ${name}.`, effect: 'pure', reach: 'nothing' } as const
  return defineTool({ ...described, input: input ?? empty, run: (_input, turn) => run(turn) })
}

const keywords: Schema<unknown> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => ({ value }),
    jsonSchema: {
      input: () => ({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
        },
        properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
        additionalProperties: false,
      }),
    },
  },
}

/** The tools that the suite calls, as far as tools of svc can do what they do. */
const suite = [
  tool('test_simple_text', () => 'This is a simple text response for testing.'),
  tool('test_image_content', () => ({ text: '', images: [{ mediaType: 'image/png', data: PICTURE }] })),
  tool('test_error_handling', () => Promise.reject(new Error('This tool intentionally returns an error for testing'))),
  tool('test_tool_with_progress', ({ progress }) => {
    for (const step of ['one', 'two', 'three']) progress(step)
    return 'done'
  }),
  tool('test_tool_with_logging', ({ person }) => {
    for (const step of ['one', 'two', 'three']) person.say(step)
    return 'done'
  }),
  tool(
    'test_elicitation',
    async ({ person }) => `User response: ${await person.ask('Please provide your information')}`,
  ),
  tool('json_schema_2020_12_tool', () => 'done', keywords),
]

test('the conformance suite for servers passes, except for what DECISIONS.md lists', async () => {
  const proxy = await startProxy(KEY)
  onTestFinished(() => proxy.close())
  const kernel = served(...suite)
  const mcp_serve = { ...kernel.config.mcp_serve, origins: [proxy.origin] }
  const { url } = await startServer(['x'], { kernel: { ...kernel, config: { mcp_serve } } })
  proxy.lead(url)
  const expected = join(root, 'test/support/conformance/expected-failures.yaml')
  const { code, out } = await runConformance(`${proxy.origin}/mcp`, expected)
  expect(code, out.slice(-4000)).toBe(0)
})
