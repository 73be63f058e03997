import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openRadio } from '../../../support/radio.ts'

describe('svc config undo and diff', () => {
  it('lists changes newest first and shows one of them without secrets', async () => {
    await using radio = await openRadio({ yaml: 'api_key: canary-0 # c\n', env: '# OLD_TOKEN=canary-1\n' })
    await radio.svc('set a 1')
    await radio.svc('set A_TOKEN canary-2')
    await radio.svc('undo')
    const { out } = await radio.svc('undo --list')
    expect(out.split('\n').map((line) => line.trim().slice(0, 1))).toEqual(['3', '2', '1', ''])
    expect(out).toMatch(/2 .*set A_TOKEN.*taken back/)
    expect((await radio.svc('diff 1')).out).toContain(' api_key: *** # c\n+a: 1\n')
    expect((await radio.svc('diff 2')).out).toContain('+A_TOKEN=***\n')
    expect(JSON.parse((await radio.svc('diff 2 --json')).out)).toMatchObject({ id: 2, author: 'svc config set' })
    expect((await radio.svc('diff 9')).err).toContain('There is no change 9')
    expect((await radio.svc('undo last')).err).toContain('"last" is not the number of a change')
  })

  it('take a change back and print it, as JSON for programs', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n' })
    expect((await radio.svc('undo --list')).out).toBe('No changes yet.\n')
    await radio.svc('set a 2')
    expect(JSON.parse((await radio.svc('undo --json')).out)).toMatchObject({ id: 2, author: 'svc config undo' })
    expect((await radio.svc('undo 2')).out).toMatch(
      / 3 .*take back change 2: .*\(svc config undo\)\n--- [\s\S]*\+a: 2\n/,
    )
    expect(JSON.parse((await radio.svc('undo --list --json')).out)).toHaveLength(3)
  })
})

describe('svc config restore and accept', () => {
  const settings = 'a: 1\nplugins:\n  enabled: [radio]\n'

  it('refuse to write into an emptied file, and put its last good state back', async () => {
    for (const lose of [(file: string) => writeFileSync(file, ''), (file: string) => rmSync(file)]) {
      await using radio = await openRadio({ yaml: settings })
      lose(join(radio.home, 'config.yaml'))
      const refused = await radio.svc('set a 2')
      expect(refused.err).toContain('svc config restore')
      expect(refused.code).toBe(1)
      expect((await radio.svc('restore')).out).toMatch(/put back the state of .*\(svc config restore\)/)
      expect(radio.yaml()).toBe(settings)
      expect((await radio.svc('set a 2')).code).toBe(0)
      expect((await radio.svc('restore')).err).toContain('is not lost')
    }
  })

  it('put the last good state in the place of what is no text or no YAML, and keep the former aside', async () => {
    for (const junk of [Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x80]), Buffer.from('a: [1')]) {
      await using radio = await openRadio({ yaml: settings })
      writeFileSync(join(radio.home, 'config.yaml'), junk)
      expect((await radio.svc('check')).out).toContain('svc config restore')
      expect((await radio.svc('restore')).code).toBe(0)
      expect(radio.yaml()).toBe(settings)
      const aside = readdirSync(radio.home).filter((name) => name.startsWith('config.yaml.unreadable-'))
      expect(aside.map((name) => readFileSync(join(radio.home, name)))).toEqual(junk[0] === 0xff ? [junk] : [])
    }
  })

  it('continue with a file that was emptied on purpose', async () => {
    await using radio = await openRadio({ yaml: settings })
    writeFileSync(join(radio.home, 'config.yaml'), '')
    expect((await radio.svc('check')).out).toMatch(/error: .*config.yaml is gone, empty, cut off or broken/)
    expect((await radio.svc('accept')).out).toContain('holds as it is')
    expect((await radio.svc('check')).out).not.toContain('error')
    expect((await radio.svc('set a 2')).code).toBe(0)
    expect(radio.yaml()).toContain('a: 2')
  })

  it('let the last setting be removed', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n' })
    expect((await radio.svc('unset a')).code).toBe(0)
    expect((await radio.svc('set a 3')).code).toBe(0)
    expect(radio.yaml()).toContain('a: 3')
  })
})
