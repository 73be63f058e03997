import { ConfigFile, getAtPath, YamlEditor } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { describe, expect, it } from 'vitest'
import { ConfigText } from '../../../../plugins/configuration/config/config-text.ts'
import {
  applyMigrations,
  CONFIG_VERSION,
  type Migration,
  migrations,
  stepsAfter,
} from '../../../../plugins/configuration/config/migrations.ts'
import { openRadio } from '../../../support/radio.ts'
import { manifests } from '../../../support/repository.ts'

/** What steps to come may do. */
const later: readonly Migration[] = [
  { to: 1, description: 'keys' },
  {
    to: 2,
    description: 'loudness is called volume',
    changes: () => [{ path: ['radio', 'loudness'], rename: 'volume' }],
  },
  {
    to: 3,
    description: 'the antenna is gone, bands are lists',
    changes(values) {
      const band = getAtPath(values, ['radio', 'band'])
      const listed = typeof band === 'string' ? [{ path: ['radio', 'band'], value: [band] }] : []
      return [{ path: ['radio', 'antenna'], value: undefined }, ...listed]
    },
  },
]

describe('the steps', () => {
  it('count up by one to the version that is written', () => {
    expect(migrations.map(({ to }) => to)).toEqual(migrations.map((_, at) => at + 1))
    expect(CONFIG_VERSION).toBe(migrations.length)
  })

  it('ask for every variable of a built-in plugin: none is newer than the newest step', () => {
    const newer = manifests().flatMap(({ env = [] }) =>
      env.filter(({ since = 1 }) => since > CONFIG_VERSION || since < 1),
    )
    expect(newer).toEqual([])
  })

  it('change only what they are about, from any version to the newest', async () => {
    await using kernel = await testKernel({ plugins: ['yaml-edit'] })
    const yaml = new ConfigText(kernel.use(YamlEditor), 'config.yaml')
    const old = '# mine\nradio:\n  loudness: 7 # loud\n  antenna: long\n  band: short # b\n  other: 1\n'
    const rest = 'radio:\n  volume: 7 # loud\n  band: [short] # b\n  other: 1\n'
    expect(await applyMigrations(old, later, yaml)).toBe(`# mine\n${rest}config_version: 3\n`)
    const second =
      '# mine\nconfig_version: 2\nradio:\n  volume: 7 # loud\n  antenna: long\n  band: short # b\n  other: 1\n'
    expect(await applyMigrations(second, stepsAfter(2, later), yaml)).toBe(`# mine\nconfig_version: 3\n${rest}`)
  })
})

describe('migrating through the service', () => {
  it('says what was done, and which new variables are not set', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n', env: 'OPENAI_API_KEY=x\n' })
    const done = await radio.kernel.use(ConfigFile).migrate()
    expect(done).toMatchObject({ from: 0, to: CONFIG_VERSION, change: { id: 1, reason: 'migrate from version 0' } })
    expect(done.steps.map(({ to }) => to)).toEqual(migrations.map(({ to }) => to))
    const names = done.variables.map(({ name }) => name)
    expect(names).not.toContain('OPENAI_API_KEY')
    expect(names).toContain('CUSTOM_API_KEY')
    const again = await radio.kernel.use(ConfigFile).migrate()
    expect(again).toEqual({ from: CONFIG_VERSION, to: CONFIG_VERSION, plugins: [], steps: [], variables: [] })
  })
})
