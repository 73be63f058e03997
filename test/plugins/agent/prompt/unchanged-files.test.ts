import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as round } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type ExistenceCheck, Unchanged } from '../../../../plugins/agent/prompt/unchanged-files.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

function notes() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-unchanged-'))
  onTestFinished(() => removeFolder(folder))
  const file = join(folder, 'AGENTS.md')
  let reads = 0
  const read = async (look: ExistenceCheck) => {
    reads++
    return look(file) ? readFile(file, 'utf8') : 'nothing'
  }
  return { file, read, reads: () => reads }
}

test('a file is read again only once it was written, replaced or removed', async () => {
  const { file, read, reads } = notes()
  const known = new Unchanged<string>()
  const get = async () => {
    await round()
    return known.get('here', read)
  }
  expect([await get(), await get(), reads()]).toEqual(['nothing', 'nothing', 1])
  writeFileSync(file, 'be kind')
  expect([await get(), await get(), reads()]).toEqual(['be kind', 'be kind', 2])
  writeFileSync(file, 'be brief')
  expect([await get(), reads()]).toEqual(['be brief', 3])
  rmSync(file)
  expect([await get(), reads()]).toEqual(['nothing', 4])
})

test('however many folders there are, few are remembered', async () => {
  const { read, reads } = notes()
  const known = new Unchanged<string>()
  for (let folder = 0; folder <= 100; folder++) await known.get(`${folder}`, read)
  await known.get('0', read)
  expect(reads()).toBe(102)
})
