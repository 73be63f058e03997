import { join } from 'node:path'
import { type ConfigEntry, ConfigFile } from 'svc/sdk/host'
import { describe, expect, it } from 'vitest'
import { openRadio } from '../../../support/radio.ts'

const block = 'plugins.entries.radio'
const yaml = `plugins:\n  entries:\n    radio: {volume: 7, station: 'Radio \${CITY}', licence: canary-1}\nmodle: {token: canary-2}\n`

describe('one key of the configuration', () => {
  it('comes with what is in force, what is written, the default and what its owner says of it', async () => {
    await using radio = await openRadio({ yaml }, { env: { CITY: 'Oslo' } })
    expect(await radio.kernel.use(ConfigFile).read(`${block}.station`)).toEqual({
      path: `${block}.station`,
      value: 'Radio Oslo',
      written: 'Radio ${CITY}',
      default: 'news',
      description: 'What is heard.',
      secret: false,
      file: join(radio.home, 'config.yaml'),
    })
  })

  it('may be a variable, a block or the whole file, and shows no secret in any of them', async () => {
    await using radio = await openRadio({ yaml, env: 'RADIO_KEYWORD=canary-3\n' })
    const file = radio.kernel.use(ConfigFile)
    const keyword = await file.read('RADIO_KEYWORD')
    expect(keyword).toMatchObject({ value: '***', secret: true, file: join(radio.home, '.env') })
    expect((await file.read(block)).value).toEqual({ volume: 7, station: 'Radio ${CITY}', licence: '***' })
    expect((await file.read('')).value).toMatchObject({ modle: { token: '***' } })
    expect(JSON.stringify([await file.read(''), await file.keys()])).not.toContain('canary')
  })

  it('is pointed out when nothing reads it, with what may have been meant', async () => {
    await using radio = await openRadio({ yaml })
    const file = radio.kernel.use(ConfigFile)
    const misspelt = { path: `${block}.volum`, nearest: `${block}.volume` }
    expect((await file.read(`${block}.volum`)).unknown).toEqual(misspelt)
    expect((await file.read('licence')).unknown).toEqual({ path: 'licence', nearest: `${block}.licence` })
    await expect(file.read('a..b')).rejects.toMatchObject({ code: 'CONFIG_PATH' })
  })
})

describe('all keys of the configuration', () => {
  it('are those that are set and those that are known, each block before its keys', async () => {
    await using radio = await openRadio({ yaml })
    const keys = await radio.kernel.use(ConfigFile).keys()
    const paths = keys.map(({ path }) => path)
    expect(paths.slice(0, 4)).toEqual(['plugins', 'plugins.entries', block, `${block}.volume`])
    expect(new Set(paths).size).toBe(paths.length)
    const found = (path: string): ConfigEntry | undefined => keys.find((key) => key.path === path)
    expect(found(`${block}.band`)).toMatchObject({ value: undefined, default: 'medium' })
    expect(found(`${block}.remote.token`)).toMatchObject({ value: undefined, default: undefined, secret: true })
    expect(found('modle.token')).toMatchObject({ value: '***', unknown: { path: 'modle' } })
  })

  it('stand for values that are of another kind than their owners want, without failing', async () => {
    await using radio = await openRadio({ yaml: 'plugins:\n  entries: {radio: 5}\nmodel:\n' })
    const { code, out, err } = await radio.svc('show --defaults')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('    radio: 5\n')
    expect((await radio.svc('diff')).out).toContain(`${block}: 5`)
  })
})
