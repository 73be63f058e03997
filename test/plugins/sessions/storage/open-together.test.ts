/** Real processes that open one file at the same moment. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundleScript, storageFixture } from './support.ts'

const script = await bundleScript(join(import.meta.dirname, 'open-child.ts'))

/** What it complained about. */
async function openInProcess(file: string): Promise<string> {
  const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'inherit', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect([code, code ? said : '']).toEqual([0, ''])
  return said
}

const openInProcesses = (file: string) => Promise.all(Array.from({ length: 4 }, () => openInProcess(file)))

function marks({ storage, file }: ReturnType<typeof storageFixture>): unknown {
  const schema = ['CREATE TABLE marks (pid INTEGER)', 'CREATE TABLE later (id INTEGER)']
  return storage.open({ file, migrations: schema }).prepare('SELECT count(*) AS count FROM marks').get()
}

describe('processes that open one file at the same moment', () => {
  it('make it once when it is new', async () => {
    const fixture = storageFixture()
    expect((await openInProcesses(fixture.file)).join('')).toBe('')
    expect(marks(fixture)).toEqual({ count: 4 })
  })

  it('replace it once when it is damaged, and lose nothing that is added after that', async () => {
    const fixture = storageFixture()
    await openInProcess(fixture.file)
    copyFileSync(fixture.file, `${fixture.file}.backup`)
    writeFileSync(fixture.file, 'garbage'.repeat(3000))
    const said = (await openInProcesses(fixture.file)).join('')
    expect(said.match(/was damaged/g)).toHaveLength(1)
    expect(marks(fixture)).toEqual({ count: 5 })
    expect(readdirSync(fixture.folder).filter((name) => /corrupt|restoring|repairing/.test(name))).toHaveLength(1)
  })
})
