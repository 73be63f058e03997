import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { ConfigFile, formatConfigPath, YamlEditor } from 'svc/sdk/host'
import { describe, expect, it } from 'vitest'
import { openRadio } from '../../../support/radio.ts'
import { listPaths, settable, yamlDocument } from '../../../support/yaml-documents.ts'

const by = { author: 'test', reason: 'a test' }

describe('undo', () => {
  it('takes changes back one after the other, to the byte', async () => {
    const yaml = '# mine\na: 1   # one\r\nb: {x: 1}\n'
    await using radio = await openRadio({ yaml, env: '# keys\nA_TOKEN=old\n' })
    await radio.svc('set a 2')
    await radio.svc('set b.y 3')
    await radio.svc('set A_TOKEN new')
    await radio.svc('unset a')
    for (let count = 0; count < 4; count++) expect((await radio.svc('undo')).code).toBe(0)
    expect(radio.yaml()).toBe(yaml)
    expect(radio.env()).toBe('# keys\nA_TOKEN=old\n')
    const nothing = await radio.svc('undo')
    expect(nothing).toMatchObject({ code: 1 })
    expect(nothing.err).toContain('CONFIG_UNDO_UNKNOWN')
  })

  it('removes the file that a change made', async () => {
    await using radio = await openRadio()
    await radio.svc('set model.default m')
    await radio.svc('set A_TOKEN t')
    await radio.svc('undo')
    await radio.svc('undo')
    expect([radio.yaml(), radio.env()]).toEqual([undefined, undefined])
  })

  it('takes back one change in the middle and keeps what came after it', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\nb: 2\nc: 3\n' })
    await radio.svc('set a 10')
    await radio.svc('set b 20')
    await radio.svc('set c 30')
    await radio.svc('undo 2')
    expect(radio.yaml()).toBe('a: 10\nb: 2\nc: 30\n')
    await radio.svc('undo')
    expect(radio.yaml()).toBe('a: 10\nb: 2\nc: 3\n')
    expect((await radio.svc('undo 2')).err).toContain('was taken back by change 4')
    await radio.svc('undo 4')
    expect(radio.yaml()).toBe('a: 10\nb: 20\nc: 3\n')
  })

  it('takes back the first key of a block that grew since, and keeps the version of a new file', async () => {
    await using radio = await openRadio()
    await radio.svc('set model.provider custom')
    await radio.svc('set model.default m')
    await radio.svc('undo 1')
    expect(radio.yaml()).toBe('config_version: 1\nmodel:\n  default: m\n')
  })

  it('says what stands in the way when a later edit touches the same key', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n' })
    await radio.svc('set a 2')
    await radio.svc('set a 3')
    const { code, err } = await radio.svc('undo 1')
    expect(code).toBe(1)
    expect(err).toMatch(/Change 1 \(set a\) cannot be taken back alone: a in .*svc config diff 1.*CONFIG_UNDO_CONFLICT/)
    expect(radio.yaml()).toBe('a: 3\n')
  })

  it('leaves a file alone that was broken by hand', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n' })
    await radio.svc('set a 2')
    radio.writeYaml('a: [2\n')
    expect((await radio.svc('undo')).err).toContain('CONFIG_UNREADABLE')
    expect(radio.yaml()).toBe('a: [2\n')
  })

  it('is told by the change that it took back, as long as that one is undone', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n' })
    const file = radio.kernel.use(ConfigFile)
    const undoneBy = async () => (await file.history()).map((change) => [change.id, change.undoneBy])
    await file.write([{ path: 'a', value: 2 }], by)
    await file.undo()
    expect(await undoneBy()).toEqual([
      [2, undefined],
      [1, 2],
    ])
    await file.undo(2)
    expect(await undoneBy()).toEqual([
      [3, undefined],
      [2, 3],
      [1, undefined],
    ])
  })

  it('keeps no secret outside of .env', async () => {
    await using radio = await openRadio({ yaml: 'a: 0\n' })
    for (const value of ['canary-1', 'canary-2']) await radio.svc(`set A_TOKEN ${value}`)
    await radio.svc('set x 1')
    await radio.svc('set plugins.entries.radio.licence canary-3')
    const files = readdirSync(radio.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const leaky = files.filter((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').includes('canary'))
    expect(leaky.map(({ name }) => name)).toEqual(['.env'])
    await radio.svc('undo 2')
    expect(radio.env()).toContain('A_TOKEN=canary-1')
  })

  it('forgets all but the newest hundred changes', { timeout: 60_000 }, async () => {
    await using radio = await openRadio()
    const file = radio.kernel.use(ConfigFile)
    for (let value = 0; value < 103; value++) await file.write([{ path: 'n', value }], by)
    const history = await file.history()
    expect([history.length, history[0]?.id, history.at(-1)?.id]).toEqual([100, 103, 4])
  })

  it('names a record that was damaged instead of failing on all', async () => {
    await using radio = await openRadio()
    await radio.svc('set a 1')
    await radio.svc('set b 1')
    const { dir, name } = changeFile(radio.home, '000001.json')
    const { writeFileSync } = await import('node:fs')
    writeFileSync(join(dir, name), '{"id":')
    expect((await radio.svc('undo --list')).out.split('\n').length).toBe(2)
    expect((await radio.svc('undo 1')).err).toContain('There is no change 1')
    expect((await radio.svc('undo')).code).toBe(0)
  })
})

describe('any change of any document', () => {
  it('is gone without a trace once it is taken back', { timeout: 60_000 }, async () => {
    await using radio = await openRadio()
    const file = radio.kernel.use(ConfigFile)
    await fc.assert(
      fc.asyncProperty(yamlDocument, fc.option(settable), fc.nat(), async (text, value, pick) => {
        radio.writeYaml(text)
        const parsed = await radio.kernel.use(YamlEditor).parse(text)
        const paths = 'values' in parsed ? [...listPaths(parsed.values), ['brand_new', 'key']] : []
        const path = formatConfigPath(paths[pick % paths.length] as string[])
        const change = await file.write([{ path, value: value === null ? undefined : value }], by)
        expect(radio.yaml() === text).toBe(change === undefined)
        if (change) await file.undo()
        expect(radio.yaml()).toBe(text)
      }),
      { numRuns: 40 },
    )
  })
})

function changeFile(home: string, name: string): { dir: string; name: string } {
  const found = readdirSync(home, { recursive: true, withFileTypes: true }).find((entry) => entry.name === name)
  const dir = found?.parentPath ?? ''
  expect(existsSync(join(dir, name))).toBe(true)
  return { dir, name }
}
