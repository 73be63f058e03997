import { Tools } from 'svc/sdk'
import { expect, test } from 'vitest'
import { type FileTools, fileTools } from './support.ts'

/** Those of this plugin, whatever else is loaded along with the agent. */
function ownTools({ kernel }: FileTools) {
  const tools = kernel.all(Tools)
  return tools.all().filter(({ name }) => tools.owner(name) === 'tool-files')
}

test('each tool takes little room in a request', async () => {
  await using files = await fileTools()
  expect(files.kernel.problems()).toEqual([])
  const tools = ownTools(files)
  expect(tools.map(({ name }) => name).sort()).toEqual(['list_files', 'read_file', 'search_files', 'write_file'])
  for (const { name, description, input } of tools) {
    const parameters = input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
    expect(JSON.stringify({ name, description, parameters }).length, name).toBeLessThan(700)
  }
})

test('reading may be repeated and done side by side; writing is the same when it is repeated', async () => {
  await using files = await fileTools()
  for (const tool of ownTools(files)) {
    expect(tool.effect).toBe(tool.name === 'write_file' ? 'idempotent' : 'pure')
    expect(tool.parallel).toBe(true)
    expect(tool.toolset).toBe('file')
  }
})

test('calls on one file are seen to overlap however its path is spelled', async () => {
  await using files = await fileTools()
  const [read, write] = ['read_file', 'write_file'].map((name) => files.kernel.all(Tools).get(name))
  const cwd = '/somewhere'
  const paths = ['a/b.txt', './a/b.txt', 'a//x/../b.txt', '/somewhere/a/b.txt']
  const spelled = paths.flatMap((path) => [read?.paths?.({ path }, cwd), write?.paths?.({ path, content: '' }, cwd)])
  expect(new Set(spelled.map((found) => found?.join())).size).toBe(1)
})
