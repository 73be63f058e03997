import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openRadio } from '../../../support/radio.ts'

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
    expect((await radio.svc('migrate')).out).toMatch(/at version \d+, the newest/)
    expect(radio.yaml()).toBeUndefined()
    radio.writeYaml('config_version: 99\n')
    expect(await radio.svc('migrate')).toMatchObject({ code: 1, err: expect.stringContaining('CONFIG_TOO_NEW') })
    radio.writeYaml('config_version: soon\n')
    expect((await radio.svc('migrate')).err).toContain('must be a whole number')
    expect(existsSync(join(radio.home, 'config.yaml.bak-v99'))).toBe(false)
  })

  it('asks on a terminal for variables that are new, and only once', async () => {
    await using radio = await openRadio({ yaml: 'model: {}\n', env: 'OPENAI_API_KEY=there\n' })
    const answers = ['NO_SUCH_KEY', 'CUSTOM_API_KEY', 'canary-key', '']
    const first = await radio.svc('migrate', { interactive: true, answers })
    expect(first.out).toMatch(/^New variables: .*CUSTOM_API_KEY/m)
    expect(first.out).not.toMatch(/[ ,]OPENAI_API_KEY/)
    expect(first.out).toContain('There is no NO_SUCH_KEY among them.')
    expect(first.out).not.toContain('canary')
    expect(radio.env()).toBe('OPENAI_API_KEY=there\nCUSTOM_API_KEY=canary-key\n')
    await radio.svc('undo')
    await radio.svc('undo')
    const second = await radio.svc('migrate', { interactive: true, answers: [] })
    expect(second.out).not.toContain('New variables')
  })

  it('asks nothing where no one can answer', async () => {
    await using radio = await openRadio({ yaml: 'model: {}\n' })
    expect((await radio.svc('migrate')).err).toBe('')
  })
})
