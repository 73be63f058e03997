import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, defineTool, type Message, Sessions, Tools } from 'svc/sdk'
import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { removeFolder } from '../../../support/remove-folder.ts'

/** Runs one turn of a scripted model in a folder; returns what it read after each of its answers. */
async function turn(folder: string, replies: readonly ScriptedReply[]): Promise<readonly (readonly Message[])[]> {
  const log = defineTool<object>({
    name: 'build_log',
    description: 'a long log',
    input: z.object({}),
    effect: 'pure',
    toolset: 'x',
    reach: 'nothing',
    run: async () => Array.from({ length: 50_000 }, (_, at) => `step ${at + 1}`).join('\n'),
  })
  const model = fakeProvider(replies)
  const kernel = await testKernel({
    plugins: ['agent', 'tool-results', 'tool-files', 'tool-patch'],
    with: [
      model.plugin,
      { name: 'log', contributes: { tools: ['build_log'] }, setup: (ctx) => void ctx.add(Tools, log) },
    ],
    config: { model: { provider: 'fake', default: 'fake-1' }, plugins: { disabled: ['approvals'] } },
  })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'cli', cwd: folder })
  for await (const event of kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'cli' }))
    if (event.type === 'error') throw new Error(event.message)
  return model.requests.map(({ messages }) =>
    messages.slice(messages.findLastIndex(({ role }) => role === 'assistant')),
  )
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-turn-')))
  onTestFinished(() => removeFolder(folder))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

function toolTexts(messages: readonly Message[] | undefined): string[] {
  return (messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.text] : []))
}

test('in a turn the model pages through a long result, reads a file once, patches it, and sees the new text', async () => {
  const folder = folderWith({ 'a.ts': 'const one = 1\n' })
  const read = { name: 'read_file', input: { path: 'a.ts' } }
  const requests = await turn(folder, [
    { calls: [{ name: 'build_log' }, read] },
    { calls: [read] },
    { calls: [{ name: 'patch', input: { path: 'a.ts', old_string: 'one = 1', new_string: 'two = 2' } }] },
    { calls: [read] },
    'done',
  ])
  const [log, first] = toolTexts(requests[1])
  expect(log).toMatch(/^step 1\n[\s\S]*characters left out[\s\S]*step 50000\n\[All of it is in \S+: 50000 lines\./)
  expect(first).toBe('1\tconst one = 1')
  expect(toolTexts(requests[2])).toEqual(['Unchanged: these lines of a.ts are above, as you read them before.'])
  expect(toolTexts(requests[3])).toEqual(['Changed a.ts (+1 -1)'])
  expect(toolTexts(requests[4])).toEqual(['1\tconst two = 2'])
  expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe('const two = 2\n')
})
