import { YamlEditor } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

test('other plugins parse, edit and merge texts through the service', async () => {
  await using kernel = await testKernel({ plugins: ['yaml-edit'] })
  const yaml = kernel.use(YamlEditor)
  const text = 'servers:\n  - name: a # mine\n    port: 1\n'
  const edited = await yaml.edit(text, [
    { path: ['servers', '0', 'port'], value: 8080 },
    { path: ['servers', '1'], value: { name: 'b' } },
    { path: ['servers', '0', 'name'], rename: 'title' },
  ])
  expect(edited).toBe('servers:\n  - title: a # mine\n    port: 8080\n  - name: b\n')
  expect(await yaml.parse(edited)).toMatchObject({
    values: { servers: [{ title: 'a', port: 8080 }, { name: 'b' }] },
  })
  expect(await yaml.merge(text, `# head\n${text}`, edited)).toEqual({ text: `# head\n${edited}` })
  await expect(yaml.edit('a: [1\n', [])).rejects.toMatchObject({ code: 'YAML_UNREADABLE' })
})

test('edits are made all together or not at all, each seeing what the one before it did', async () => {
  await using kernel = await testKernel({ plugins: ['yaml-edit'] })
  const yaml = kernel.use(YamlEditor)
  const grown = await yaml.edit('', [
    { path: ['a', 'b'], value: 1 },
    { path: ['a', 'c'], value: 2 },
    { path: ['a', 'b'], value: undefined },
  ])
  expect(grown).toBe('a:\n  c: 2\n')
  const through = yaml.edit(grown, [
    { path: ['d'], value: 3 },
    { path: ['a', 'c', 'x'], value: 1 },
  ])
  await expect(through).rejects.toMatchObject({ code: 'YAML_PATH' })
})
