import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openRadio } from '../../../support/radio.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const block = 'plugins.entries.radio'

describe('svc config check', () => {
  it('says where a file cannot be parsed and exits with 1', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\nb:\n\tc: 2\n' })
    const { code, out } = await radio.svc('check')
    expect(code).toBe(1)
    expect(out).toMatch(/error: line 3: column 1: .*\n {2}indent with spaces, not tabs\nErrors: 1, warnings: 0\n/)
  })

  it('warns of secrets in the open: in config.yaml, and in an .env that others can read', async () => {
    const yaml = `config_version: 1\nOPENAI_API_KEY: canary\nplugins: {entries: {radio: {licence: canary}}}\n`
    await using radio = await openRadio({ yaml, env: 'RADIO_KEYWORD=x\n' })
    chmodSync(join(radio.home, '.env'), 0o644)
    const { code, out } = await radio.svc('check')
    expect(code).toBe(0)
    expect(out).not.toContain('canary')
    expect(out).toContain('OPENAI_API_KEY: is a secret and belongs into .env')
    expect(out).toContain(`${block}.licence: is a secret`)
    expect(out).toContain('.env can be read by others (mode 644)\n  chmod 600')
    expect(out).not.toContain('config.yaml can')
    chmodSync(join(radio.home, 'config.yaml'), 0o640)
    expect((await radio.svc('check')).out).toContain('config.yaml can be read by others (mode 640)\n  chmod 600')
    chmodSync(join(radio.home, 'config.yaml'), 0o620)
    expect((await radio.svc('check')).out).toContain('config.yaml can be changed by others (mode 620)')
  })

  it.each([
    ['skin', 'nosuch', /error: line 2, display\.skin: .*no skin "nosuch".*\n {2}svc config unset display\.skin/],
    [
      'language',
      'xx',
      /error: line 2, display\.language: .*no language "xx".*\n {2}svc config unset display\.language/,
    ],
  ])('counts a %s that there is not as a problem', async (key, value, line) => {
    await using radio = await openRadio({ yaml: `display:\n  ${key}: ${value}\n` })
    const { code, out } = await radio.svc('check')
    expect(code).toBe(1)
    expect(out).toMatch(line)
    expect(out).toContain('Errors: 1')
  })

  it('accepts a skin of the user and every language', async () => {
    const home = temporaryFolder()
    mkdirSync(join(home, 'skins'))
    writeFileSync(join(home, 'skins', 'mine.yaml'), 'description: Mine\n')
    await using radio = await openRadio({ yaml: 'display:\n  skin: mine\n  language: Deutsch\n' }, { home })
    expect(await radio.svc('check')).toMatchObject({ code: 0, out: 'No problems.\n' })
  })

  it('says so when there is nothing to say, and prints JSON for programs', async () => {
    await using radio = await openRadio()
    expect(await radio.svc('check')).toMatchObject({ code: 0, out: 'No problems.\n' })
    radio.writeYaml('config_version: 99\n')
    const { code, out } = await radio.svc('check --json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject([{ severity: 'error', path: 'config_version' }])
  })
})
