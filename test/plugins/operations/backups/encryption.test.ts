/** Backups that only who knows the passphrase can read. Each of their keys takes a second to derive. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

test('an encrypted backup tells nothing without its passphrase', { timeout: 180_000 }, async () => {
  const place = temporaryFolder()
  const home = join(place, 'home')
  mkdirSync(home)
  writeFiles(home, { '.env': 'A_KEY=the-planted-secret\n' })
  await using kernel = await testKernel({
    plugins: ['backups'],
    home,
    env: { SVC_BACKUP_PASSPHRASE: 'seven lamps over the harbour' },
  })
  const { out } = await kernel.run(['backup', 'create', '--encrypt', '--json'])
  const { file, isEncrypted } = JSON.parse(out) as { file: string; isEncrypted: boolean }
  expect({ file, isEncrypted }).toEqual({ file: expect.stringMatching(/\.tar\.gz\.age$/), isEncrypted: true })
  expect(readFileSync(file, 'latin1').startsWith('age-encryption.org/v1\n-> scrypt ')).toBe(true)
  expect(await kernel.run(['backup', 'restore', file, '--to', join(place, 'copy')])).toMatchObject({ code: 0 })
  expect(readFileSync(join(place, 'copy/.env'), 'utf8')).toBe('A_KEY=the-planted-secret\n')

  await using wrong = await testKernel({ plugins: ['backups'], env: { SVC_BACKUP_PASSPHRASE: 'another passphrase' } })
  expect(await wrong.run(['backup', 'verify', file])).toMatchObject({
    code: 1,
    err: expect.stringContaining('the passphrase is wrong. (BACKUP_PASSPHRASE)'),
  })
  // A changed byte in what is encrypted.
  const bytes = readFileSync(file)
  bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1
  writeFileSync(file, bytes)
  expect((await kernel.run(['backup', 'verify', file])).err).toContain('(BACKUP_DAMAGED)')
})

test('a passphrase is typed twice, is long enough, and is not asked for without a terminal', async () => {
  await using kernel = await testKernel({ plugins: ['backups'] })
  const create = async (...answers: string[]) =>
    (await kernel.run(['backup', 'create', '--encrypt'], { interactive: answers.length > 0, answers })).err
  expect(await create()).toContain('set SVC_BACKUP_PASSPHRASE')
  expect(await create('seven lamps', 'seven lamp')).toContain('The two are not the same')
  expect(await create('short')).toContain('It needs 10 characters or more')
  expect(await create('')).toContain('None was typed')
})
