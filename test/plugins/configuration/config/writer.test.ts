import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Config } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, it } from 'vitest'
import { toWriteError } from '../../../../plugins/configuration/config/atomic-write.ts'
import { openRadio } from '../../../support/radio.ts'

const by = { author: 'test', reason: 'a story' }

describe('the service that writes', () => {
  it('writes several edits of both files in one step and journals them as one change', async () => {
    await using radio = await openRadio({ yaml: 'a: 1 # one\r\n' }, { clock: virtualClock(5000) })
    const file = radio.kernel.use(ConfigFile)
    const edits = [
      { path: 'a', value: 2 },
      { path: 'b.c', value: ['x'] },
      { path: 'A_TOKEN', value: 't' },
    ]
    const change = await file.write(edits, by)
    expect(radio.yaml()).toBe('a: 2 # one\r\nb:\r\n  c: [x]\r\n')
    expect(radio.env()).toBe('A_TOKEN=t\n')
    expect(change).toMatchObject({ id: 1, at: 5000, ...by })
    expect(change?.diff).toBe(
      '--- config.yaml\n+++ config.yaml\n@@ -1,1 +1,3 @@\n-a: 1 # one\n+a: 2 # one\n+b:\n+  c: [x]\n' +
        '--- .env\n+++ .env\n@@ -0,0 +1,1 @@\n+A_TOKEN=***\n',
    )
    expect(await file.history()).toEqual([change])
  })

  it('writes nothing and journals nothing when nothing changes', async () => {
    await using radio = await openRadio({ yaml: "a: 'x'\n" })
    const file = radio.kernel.use(ConfigFile)
    expect(await file.write([{ path: 'a', value: 'x' }], by)).toBeUndefined()
    expect(await file.write([{ path: 'b', value: undefined }], by)).toBeUndefined()
    expect(await file.history()).toEqual([])
  })

  it('makes all edits or none', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n' })
    const edits = [
      { path: 'a', value: 2 },
      { path: 'A_TOKEN', value: 'x' },
      { path: 'a.b', value: 3 },
    ]
    await expect(radio.kernel.use(ConfigFile).write(edits, by)).rejects.toMatchObject({ code: 'CONFIG_PATH' })
    expect([radio.yaml(), radio.env()]).toEqual(['a: 1\n', undefined])
  })

  it('loses nothing when many writes are asked for at once', async () => {
    await using radio = await openRadio()
    const file = radio.kernel.use(ConfigFile)
    await Promise.all(Array.from({ length: 12 }, (_, at) => file.write([{ path: `k${at}`, value: at }], by)))
    await radio.kernel.applyConfig()
    const config = radio.kernel.use(Config)
    expect(Array.from({ length: 12 }, (_, at) => config.get(`k${at}`))).toEqual(
      Array.from({ length: 12 }, (_, at) => at),
    )
  })

  it('keeps the mode of config.yaml and makes .env private again', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n', env: 'A=1\n' })
    chmodSync(join(radio.home, 'config.yaml'), 0o640)
    chmodSync(join(radio.home, '.env'), 0o644)
    await radio.kernel.use(ConfigFile).write(
      [
        { path: 'a', value: 2 },
        { path: 'A', value: '2' },
      ],
      by,
    )
    expect(statSync(join(radio.home, 'config.yaml')).mode & 0o777).toBe(0o640)
    expect(statSync(join(radio.home, '.env')).mode & 0o777).toBe(0o600)
  })

  it('writes through a link, also when its target is not there yet', async () => {
    await using radio = await openRadio()
    const dotfiles = mkdtempSync(join(tmpdir(), 'svc-dotfiles-'))
    symlinkSync(join(dotfiles, 'svc.yaml'), join(radio.home, 'config.yaml'))
    for (const value of [1, 2]) await radio.kernel.use(ConfigFile).write([{ path: 'a', value }], by)
    expect(lstatSync(join(radio.home, 'config.yaml')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(dotfiles, 'svc.yaml'), 'utf8')).toBe('config_version: 1\na: 2\n')
    expect(readdirSync(dotfiles)).toEqual(['svc.yaml'])
    rmSync(dotfiles, { recursive: true })
  })

  it('never overwrites a file that cannot be parsed, and still writes .env beside it', async () => {
    const yaml = 'a: 1\na: 2\n'
    await using radio = await openRadio({ yaml })
    const file = radio.kernel.use(ConfigFile)
    const refused = expect(file.write([{ path: 'b', value: 1 }], by)).rejects
    await refused.toMatchObject({
      code: 'CONFIG_UNREADABLE',
      message: expect.stringMatching(/line 2, column 1.*keep one/),
    })
    await file.write([{ path: 'A_TOKEN', value: 'x' }], by)
    expect([radio.yaml(), radio.env()]).toEqual([yaml, 'A_TOKEN=x\n'])
  })

  it('leaves a file of a newer program untouched', async () => {
    const yaml = 'config_version: 99\n'
    await using radio = await openRadio({ yaml })
    const write = radio.kernel.use(ConfigFile).write([{ path: 'b', value: 1 }], by)
    await expect(write).rejects.toMatchObject({ code: 'CONFIG_TOO_NEW' })
    expect(radio.yaml()).toBe(yaml)
  })

  it('keeps references to variables when a form writes back what it read', async () => {
    const yaml = "plugins:\n  entries:\n    radio: {station: 'Radio ${CITY}', presets: ['${CITY}', x]} # c\n"
    await using radio = await openRadio({ yaml, env: 'CITY=Oslo\n' })
    const read = radio.kernel.use(Config).get('plugins.entries.radio')
    expect(read).toEqual({ station: 'Radio Oslo', presets: ['Oslo', 'x'] })
    const file = radio.kernel.use(ConfigFile)
    expect(await file.write([{ path: 'plugins.entries.radio', value: read }], by)).toBeUndefined()
    await file.write([{ path: 'plugins.entries.radio', value: { ...(read as object), volume: 2 } }], by)
    expect(radio.yaml()).toBe(yaml.replace(', x]}', ', x], volume: 2}'))
  })

  it('refuses what an owner does not accept, regardless of the caller', async () => {
    await using radio = await openRadio()
    const write = radio.kernel.use(ConfigFile).write([{ path: 'plugins.entries.radio', value: { volume: 'x' } }], by)
    await expect(write).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    expect(radio.yaml()).toBeUndefined()
  })

  it('reads what someone typed as its owner wants it', async () => {
    await using radio = await openRadio({ yaml: '' })
    const typed = (key: string, value: string) =>
      ({ path: `plugins.entries.radio.${key}`, value, typed: true }) as const
    const edits = [typed('volume', '7'), typed('station', '42'), typed('stereo', 'off'), typed('licence', '007')]
    await radio.kernel.use(ConfigFile).write([...edits, { path: 'A_TOKEN', value: '[1]', typed: true }], by)
    expect(radio.yaml()).toContain('volume: 7\n      station: "42"\n      stereo: false\n')
    expect(radio.env()).toBe("A_TOKEN='[1]'\nPLUGINS_ENTRIES_RADIO_LICENCE=007\n")
  })

  it('takes a draft, keeps what was written meanwhile, and refuses when both touch one line', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\nb: 2\n' })
    const file = radio.kernel.use(ConfigFile)
    const base = await file.text()
    expect(await file.replace(base, base, by)).toBeUndefined()
    await file.write([{ path: 'b', value: 3 }], by)
    await file.replace('a: 5\nb: 2\n', base, by)
    expect(radio.yaml()).toBe('a: 5\nb: 3\n')
    await expect(file.replace('a: 6\nb: 2\n', base, by)).rejects.toMatchObject({ code: 'CONFIG_EDIT_CONFLICT' })
    await expect(file.replace('a: [\n', await file.text(), by)).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' })
    const wrong = `${await file.text()}plugins: {entries: {radio: {volume: 99}}}\n`
    await expect(file.replace(wrong, await file.text(), by)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    expect(radio.yaml()).toBe('a: 5\nb: 3\n')
  })

  it('begins a new file with its version, also when a draft is the first to fill it', async () => {
    await using radio = await openRadio()
    const file = radio.kernel.use(ConfigFile)
    const base = await file.text()
    expect(base).toMatch(/^config_version: \d+\n$/)
    await file.replace(`${base}a: 1\n`, base, by)
    expect(radio.yaml()).toBe(`${base}a: 1\n`)
  })

  it('edits config.json as JSON when that is what there is', async () => {
    await using radio = await openRadio()
    writeFileSync(join(radio.home, 'config.json'), '{\n  "model": {"provider": "auto"}\n}\n')
    await radio.kernel.applyConfig()
    await radio.kernel.use(ConfigFile).write([{ path: 'model.default', value: 'm' }], by)
    const text = readFileSync(join(radio.home, 'config.json'), 'utf8')
    expect(text).toBe('{\n  "model": {"provider": "auto", "default": "m"}\n}\n')
  })
})

describe('the reason of a failed write', () => {
  it.each([
    ['ENOSPC', /disk is full.*make room/],
    ['EACCES', /no right/],
    ['EROFS', /read-only/],
    ['EIO', /input\/output/],
  ])('is told with what to do: %s', (code, message) => {
    const error = toWriteError('config.yaml', Object.assign(new Error('input/output'), { code }))
    expect(error).toMatchObject({ code: 'CONFIG_WRITE_FAILED', message: expect.stringMatching(message) })
    expect(error.message).toContain('The old file is intact.')
  })
})
