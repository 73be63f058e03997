import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Config } from 'svc/sdk'
import { describe, expect, it } from 'vitest'
import { openRadio } from '../../../support/radio.ts'

const block = 'plugins.entries.radio'

describe('svc config set', () => {
  it('makes a file that begins with the version and is for its owner only', async () => {
    await using radio = await openRadio()
    const { code, out } = await radio.svc('set model.provider custom')
    expect(code).toBe(0)
    expect(out).toContain('model.provider = custom')
    expect(radio.yaml()).toBe('config_version: 1\nmodel:\n  provider: custom\n')
    expect(statSync(join(radio.home, 'config.yaml')).mode & 0o777).toBe(0o600)
    await radio.kernel.applyConfig()
    expect(radio.kernel.use(Config).get('model.provider')).toBe('custom')
  })

  it('takes words, numbers and lists as YAML does, and what its owner wants as text as text', async () => {
    await using radio = await openRadio({ yaml: '' })
    for (const [key, value] of [
      ['volume', '7'],
      ['station', '42'],
      ['stereo', 'off'],
      ['presets', '[007, jazz, 1.10]'],
    ])
      expect((await radio.run(['set', `${block}.${key}`, value as string])).err).toBe('')
    await radio.run(['set', 'free.word', 'Yes'])
    await radio.run(['set', 'free.number', '1.5'])
    await radio.run(['set', 'free.id', '123456789012345678901'])
    await radio.run(['set', 'free.text', 'a: b # c'])
    expect(radio.yaml()).toBe(
      `plugins:
  entries:
    radio:
      volume: 7
      station: "42"
      stereo: false
      presets: ["007", jazz, "1.10"]
free:
  word: true
  number: 1.5
  id: "123456789012345678901"
  text: "a: b # c"
`,
    )
  })

  it('refuses what the owner does not accept, with path, value and advice, and writes nothing', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n' })
    const loud = await radio.svc(`set ${block}.volume 99`)
    expect(loud).toMatchObject({ code: 1, out: '' })
    expect(loud.err).toMatch(/plugins\.entries\.radio\.volume is 99: .*11.*How loud.*CONFIG_INVALID/)
    expect((await radio.svc(`set ${block}.band shrot`)).err).toContain('did you mean short?')
    expect((await radio.svc(`set ${block}.log.levle x`)).err).toContain('log.level?')
    expect((await radio.run(['set', 'a', '[1'])).err).toContain('CONFIG_INVALID')
    expect(radio.yaml()).toBe('a: 1\n')
  })

  it('mends one of two wrong values without asking for the other', async () => {
    await using radio = await openRadio({ yaml: `plugins: {entries: {radio: {volume: 99, band: x}}}\n` })
    expect((await radio.svc(`set ${block}.volume 3`)).code).toBe(0)
    expect(radio.yaml()).toBe(`plugins: {entries: {radio: {volume: 3, band: x}}}\n`)
  })

  it('refuses a misspelt key, and writes it when that is meant', async () => {
    await using radio = await openRadio()
    const typo = await radio.svc(`set ${block}.volum 3`)
    expect(typo.code).toBe(1)
    expect(typo.err).toContain(`There is no setting ${block}.volum. Did you mean ${block}.volume?`)
    expect((await radio.svc('set licence 3')).err).toContain(`Did you mean ${block}.licence?`)
    expect(radio.yaml() ?? '').not.toContain('volum')
    const meant = await radio.svc(`set ${block}.volum 3 --force`)
    expect(meant.code).toBe(0)
    expect(meant.err).toContain(`nothing reads ${block}.volum.`)
    expect(radio.yaml()).toContain('volum: 3')
  })

  it('writes nothing when the value is there, also when a variable stands for it', async () => {
    const yaml = `plugins:\n  entries:\n    radio: {station: '\${CITY}', volume: 3.0} # c\n`
    await using radio = await openRadio({ yaml }, { env: { CITY: 'Oslo' } })
    expect((await radio.svc(`set ${block}.station Oslo`)).out).toContain('nothing was written')
    expect((await radio.svc(`set ${block}.volume 3`)).out).toContain('nothing was written')
    expect(radio.yaml()).toBe(yaml)
  })

  it('checks what the kernel itself reads', async () => {
    await using radio = await openRadio({ yaml: 'plugins:\n' })
    expect((await radio.svc('set plugins.disabled radio')).err).toMatch(
      /plugins\.disabled is "radio": .*CONFIG_INVALID/,
    )
    expect((await radio.svc('set plugins.disabled [radio]')).err).toBe('')
    expect((await radio.svc('set config_version soon')).code).toBe(1)
    expect(radio.yaml()).toBe('plugins:\n  disabled: [radio]\n')
  })

  it('tells programs what it did', async () => {
    await using radio = await openRadio()
    const { out } = await radio.svc(`set ${block}.volume 3 --json`)
    expect(JSON.parse(out)).toMatchObject({ path: `${block}.volume`, value: 3, changed: true, change: 1 })
  })
})

describe('secrets on the command line', () => {
  it('go to .env with mode 600, and the echo shows stars', async () => {
    await using radio = await openRadio()
    for (const name of ['OPENAI_API_KEY', 'RADIO_KEYWORD', 'BOT_TOKEN', 'A_SECRET', 'B_PASSWORD']) {
      const { out, err } = await radio.svc(`set ${name} canary-${name}`)
      expect(out + err).not.toContain('canary')
      expect(out).toContain('***')
    }
    expect(radio.env()).toContain('OPENAI_API_KEY=canary-OPENAI_API_KEY\nRADIO_KEYWORD=')
    expect(statSync(join(radio.home, '.env')).mode & 0o777).toBe(0o600)
    expect(radio.yaml()).toBeUndefined()
  })

  it('are asked for without an echo, or read from a pipe, when they are not typed', async () => {
    await using radio = await openRadio()
    await radio.svc('set OPENAI_API_KEY', { interactive: true, answers: ['asked'] })
    expect(radio.env()).toBe('OPENAI_API_KEY=asked\n')
    await radio.svc('set OPENAI_API_KEY', { stdin: 'piped\n' })
    expect(radio.env()).toBe('OPENAI_API_KEY=piped\n')
    expect(await radio.svc('set OPENAI_API_KEY')).toMatchObject({ code: 2 })
  })

  it('leave a reference in config.yaml when its schema marks the key', async () => {
    await using radio = await openRadio()
    const { out } = await radio.svc(`set ${block}.licence canary-1`)
    expect(out).not.toContain('canary')
    await radio.svc(`set ${block}.remote.token canary-2`)
    expect(radio.yaml()).not.toContain('canary')
    expect(radio.yaml()).toContain('licence: ${PLUGINS_ENTRIES_RADIO_LICENCE}')
    expect(radio.yaml()).toContain('token: ${RADIO_REMOTE_TOKEN}')
    expect(radio.env()).toBe('PLUGINS_ENTRIES_RADIO_LICENCE=canary-1\nRADIO_REMOTE_TOKEN=canary-2\n')
  })

  it('keep the variable that a key refers to already', async () => {
    const yaml = `plugins: {entries: {radio: {licence: "\${MY_OWN}"}}} # c\n`
    await using radio = await openRadio({ yaml, env: 'MY_OWN=old\n' })
    await radio.svc(`set ${block}.licence new`)
    expect(radio.yaml()).toBe(yaml)
    expect(radio.env()).toBe('MY_OWN=new\n')
  })

  it('leave config.yaml when they stood there by mistake', async () => {
    await using radio = await openRadio({ yaml: '# mine\nOPENAI_API_KEY: canary\na: 1\n' })
    await radio.svc('set OPENAI_API_KEY safe')
    expect([radio.yaml(), radio.env()]).toEqual(['# mine\na: 1\n', 'OPENAI_API_KEY=safe\n'])
  })

  it('can be set while config.yaml is broken', async () => {
    await using radio = await openRadio({ yaml: 'a: [1\n' })
    expect((await radio.svc('set OPENAI_API_KEY x')).code).toBe(0)
    expect((await radio.svc('get OPENAI_API_KEY')).out).toBe('***\n')
    expect([radio.yaml(), radio.env()]).toEqual(['a: [1\n', 'OPENAI_API_KEY=x\n'])
  })

  it('are pointed out when the environment has the same name and wins', async () => {
    await using radio = await openRadio({}, { env: { OPENAI_API_KEY: 'from-shell' } })
    expect((await radio.svc('set OPENAI_API_KEY x')).err).toContain('wins over .env')
  })
})

describe('svc config get, unset, show and path', () => {
  const yaml = `# mine\nplugins:\n  entries:\n    radio:\n      volume: 7 # loud\n      licence: \${LICENCE}\n`

  it('print one value, and say the default of one that is not set', async () => {
    await using radio = await openRadio({ yaml, env: 'LICENCE=canary-abc\n' })
    expect(await radio.svc(`get ${block}.volume`)).toMatchObject({ code: 0, out: '7\n', err: '' })
    expect((await radio.svc(`get ${block} --json`)).out).toBe('{\n  "volume": 7,\n  "licence": "***"\n}\n')
    expect(await radio.svc(`get ${block}.station`)).toMatchObject({ code: 1, out: '' })
    expect((await radio.svc(`get ${block}.station`)).err).toContain('the default is news')
    expect((await radio.svc(`get ${block}.statoin`)).err).toContain(`Did you mean ${block}.station?`)
    expect((await radio.svc('get LICENCE')).out).toBe('***\n')
    expect((await radio.svc('get a..b')).err).toContain('CONFIG_PATH')
  })

  it('remove one value with its line', async () => {
    await using radio = await openRadio({ yaml })
    expect((await radio.svc(`unset ${block}.volume`)).out).toContain('is unset; the default is 5.')
    expect(radio.yaml()).toBe(yaml.replace('      volume: 7 # loud\n', ''))
    expect((await radio.svc(`unset ${block}.volume`)).out).toContain('was not set')
    expect((await radio.svc('unset LICENCE')).out).toContain('was not set')
    expect(radio.env()).toBeUndefined()
  })

  it('show what is in force with secrets masked, and with defaults what else there is', async () => {
    await using radio = await openRadio({ yaml, env: 'LICENCE=canary-abc\n' })
    for (const line of ['', 'show']) {
      const { out } = await radio.svc(line)
      expect(out).toBe('plugins:\n  entries:\n    radio:\n      volume: 7\n      licence: "***"\n')
    }
    const { out } = await radio.svc('show --defaults')
    expect(out).toContain('      # How loud, from 0 to 11.\n      volume: 7\n')
    expect(out).toContain('      # What is heard. (default)\n      station: news\n')
    const values = JSON.parse((await radio.svc('show --defaults --json')).out)
    expect(values.plugins.entries.radio).toMatchObject({ volume: 7, station: 'news', stereo: true })
  })

  it('show nothing but a way to the defaults when nothing is set', async () => {
    await using radio = await openRadio()
    expect(await radio.svc('show')).toMatchObject({ code: 0, out: '' })
    expect((await radio.svc('path')).out).toBe(`${join(radio.home, 'config.yaml')}\n`)
    expect(JSON.parse((await radio.svc('path --json')).out)).toEqual({
      config: join(radio.home, 'config.yaml'),
      env: join(radio.home, '.env'),
    })
  })

  it('list what differs from the defaults', async () => {
    await using radio = await openRadio({ yaml: `${yaml}      stereo: true\nx: {y: 1}\n` })
    const { out } = await radio.svc('diff')
    expect(out).toContain(`${block}.volume: 7 (default 5)\n`)
    expect(out).toContain('x.y: 1 (unknown setting)\n')
    expect(out).not.toContain('stereo')
    expect(JSON.parse((await radio.svc('diff --json')).out)).toContainEqual({
      path: `${block}.volume`,
      value: 7,
      default: 5,
    })
  })
})
