import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CONFIG_VERSION, type Migration, migrated, migrations, stepsAfter } from '../../../plugins/config/migrations.ts'
import { filesBelow, read } from '../../support/repository.ts'
import { openRadio } from './radio.ts'

const file = 'config.yaml'

/** What steps to come may do. */
const later: readonly Migration[] = [
  { to: 1, description: 'keys', env: ['RADIO_KEYWORD'] },
  {
    to: 2,
    description: 'loudness is called volume',
    env: [],
    edit: (view) => view.rename(['radio', 'loudness'], 'volume'),
  },
  {
    to: 3,
    description: 'the antenna is gone, bands are lists',
    env: ['RADIO_COUNTRY'],
    edit(view) {
      view.remove(['radio', 'antenna'])
      const band = view.get(['radio', 'band'])
      if (typeof band === 'string') view.set(['radio', 'band'], [band])
    },
  },
]

describe('the steps', () => {
  it('count up by one to the version that is written', () => {
    expect(migrations.map(({ to }) => to)).toEqual(migrations.map((_, at) => at + 1))
    expect(CONFIG_VERSION).toBe(migrations.length)
  })

  it('introduce every variable of every built-in plugin, each exactly once', () => {
    const manifests = filesBelow('plugins').filter((name) => /^plugins\/[^/]+\/plugin\.json$/.test(name))
    const declared = manifests.flatMap((name) => (JSON.parse(read(name)).env ?? []) as { name: string }[])
    const introduced = migrations.flatMap(({ env }) => env)
    expect([...introduced].sort()).toEqual([...new Set(declared.map(({ name }) => name))].sort())
  })

  it('change only what they are about, from any version to the newest', () => {
    const old = '# mine\nradio:\n  loudness: 7 # loud\n  antenna: long\n  band: short # b\n  other: 1\n'
    const rest = 'radio:\n  volume: 7 # loud\n  band: [short] # b\n  other: 1\n'
    expect(migrated(old, later, file)).toBe(`# mine\n${rest}config_version: 3\n`)
    const second =
      '# mine\nconfig_version: 2\nradio:\n  volume: 7 # loud\n  antenna: long\n  band: short # b\n  other: 1\n'
    expect(migrated(second, stepsAfter(2, later), file)).toBe(`# mine\nconfig_version: 3\n${rest}`)
  })
})

describe('svc config migrate', () => {
  it('shows the difference, keeps the old file and writes the version', async () => {
    const yaml = '# mine\r\nmodel: {provider: auto}\r\n'
    await using radio = await openRadio({ yaml })
    const { code, out } = await radio.svc('migrate')
    expect(code).toBe(0)
    expect(out).toContain('+config_version: 1\n')
    expect(out).toContain('config.yaml.bak-v0')
    expect(readFileSync(join(radio.home, 'config.yaml.bak-v0'), 'utf8')).toBe(yaml)
    expect(radio.yaml()).toBe(`${yaml}config_version: 1\r\n`)
    expect((await radio.svc('migrate')).out).toBe('config.yaml is at version 1, the newest.\n')
    expect((await radio.svc('undo')).code).toBe(0)
    expect(radio.yaml()).toBe(yaml)
  })

  it('never overwrites a backup', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n' })
    await radio.svc('migrate')
    radio.writeYaml('a: 2\n')
    const { backup } = JSON.parse((await radio.svc('migrate --json')).out)
    expect(backup).toBe(join(radio.home, 'config.yaml.bak-v0-2'))
    expect(readFileSync(backup, 'utf8')).toBe('a: 2\n')
    expect(readFileSync(join(radio.home, 'config.yaml.bak-v0'), 'utf8')).toBe('a: 1\n')
  })

  it('takes no file for current and a newer one for nothing it may touch', async () => {
    await using radio = await openRadio()
    expect((await radio.svc('migrate')).out).toContain(`at version ${CONFIG_VERSION}`)
    expect(radio.yaml()).toBeUndefined()
    radio.writeYaml('config_version: 99\n')
    expect(await radio.svc('migrate')).toMatchObject({ code: 1, err: expect.stringContaining('CONFIG_TOO_NEW') })
    radio.writeYaml('config_version: soon\n')
    expect((await radio.svc('migrate')).err).toContain('must be a whole number')
    expect(existsSync(join(radio.home, 'config.yaml.bak-v99'))).toBe(false)
  })

  it('asks on a terminal for variables that are new, and only once', async () => {
    await using radio = await openRadio({ yaml: 'model: {}\n', env: 'OPENAI_API_KEY=there\n' })
    const first = await radio.svc('migrate', { interactive: true, answers: ['', 'canary-key', ''] })
    expect(first.err).toContain('(Key for')
    expect(first.err).not.toContain('OPENAI_API_KEY')
    expect(first.out).not.toContain('canary')
    expect(radio.env()).toMatch(/^OPENAI_API_KEY=there\n\w+=canary-key\n$/)
    const asked = first.err.match(/\w+(?= \()/g)
    await radio.svc('undo')
    await radio.svc('undo')
    const second = await radio.svc('migrate', { interactive: true, answers: [] })
    for (const name of asked?.slice(0, 3) ?? []) expect(second.err).not.toContain(`${name} (`)
  })

  it('asks nothing where nobody can answer', async () => {
    await using radio = await openRadio({ yaml: 'model: {}\n' })
    expect((await radio.svc('migrate')).err).toBe('')
  })
})
