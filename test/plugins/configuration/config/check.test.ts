import { ConfigFile, type ConfigProblem } from 'svc/sdk/host'
import { describe, expect, it } from 'vitest'
import { openRadio } from '../../../support/radio.ts'

const block = 'plugins.entries.radio'

async function problems(
  files: { yaml?: string; env?: string },
  env: Record<string, string> = {},
): Promise<readonly ConfigProblem[]> {
  await using radio = await openRadio(files, { env })
  return await radio.kernel.use(ConfigFile).check()
}

describe('a check of the configuration', () => {
  it('has nothing to say about a home without files, nor about good ones', async () => {
    expect(await problems({})).toEqual([])
    expect(
      await problems({
        yaml: `config_version: 1\nplugins:\n  entries: {radio: {volume: 3}}\n`,
        env: 'RADIO_COUNTRY=no\n',
      }),
    ).toEqual([])
  })

  it('says where a file cannot be parsed', async () => {
    expect(await problems({ yaml: 'a: 1\nb:\n\tc: 2\n' })).toEqual([
      expect.objectContaining({ severity: 'error', path: '', line: 3, hint: 'indent with spaces, not tabs' }),
    ])
  })

  it('looks at a draft in the place of the file', async () => {
    await using radio = await openRadio({ yaml: 'a: [1\n', env: 'CITY=Oslo\n' })
    const file = radio.kernel.use(ConfigFile)
    expect(await file.check('config_version: 1\nmodel: {default: "${CITY}"}\n')).toEqual([])
    expect(await file.check('config_version: 1\nmodel: {default: "${TOWN}"}\n')).toEqual([
      expect.objectContaining({ severity: 'error', path: 'model.default', line: 2 }),
      expect.objectContaining({ severity: 'warning', path: 'CITY' }),
    ])
    expect(radio.yaml()).toBe('a: [1\n')
  })

  it('names path, value, line and advice of what an owner does not accept', async () => {
    const yaml =
      'config_version: 1\nplugins:\n  entries:\n    radio:\n      volume: 99\n      band: shrot\n      log: {levle: x}\n'
    expect(await problems({ yaml })).toEqual([
      expect.objectContaining({ severity: 'error', path: `${block}.volume`, line: 5, hint: 'How loud, from 0 to 11.' }),
      expect.objectContaining({ severity: 'error', path: `${block}.band`, line: 6, hint: 'did you mean short?' }),
      expect.objectContaining({ severity: 'error', path: `${block}.log.levle`, line: 7, hint: 'did you mean level?' }),
      expect.objectContaining({ severity: 'warning', path: `${block}.log.levle`, line: 7 }),
    ])
  })

  it('points out keys that nothing reads, once for each block', async () => {
    const yaml = 'config_version: 1\nplugins:\n  entries:\n    radio: {volum: 3}\nmodle: {a: 1, b: 2}\n'
    expect(await problems({ yaml })).toEqual([
      expect.objectContaining({
        severity: 'warning',
        path: `${block}.volum`,
        line: 4,
        hint: `did you mean ${block}.volume?`,
      }),
      expect.objectContaining({ severity: 'warning', path: 'modle', line: 5, hint: 'did you mean model?' }),
    ])
  })

  it('finds variables that are missing, unread, double or no assignments at all', async () => {
    const yaml = 'config_version: 1\nmodel: {default: "${MY_MODEL}", base_url: "${FROM_SHELL}"}\n'
    const env = '# fine\nRADIO_COUNTRY=no\nOLD=1\nnot an assignment\nRADIO_COUNTRY=se\nM="two\nlines"\n'
    expect(await problems({ yaml, env }, { FROM_SHELL: 'http://h' })).toEqual([
      expect.objectContaining({
        severity: 'error',
        path: 'model.default',
        line: 2,
        hint: 'svc config set MY_MODEL <value>',
      }),
      expect.objectContaining({ severity: 'warning', path: 'RADIO_COUNTRY', line: 2 }),
      expect.objectContaining({ severity: 'warning', path: 'OLD', line: 3 }),
      expect.objectContaining({ severity: 'warning', path: 'M', line: 6 }),
      expect.objectContaining({ severity: 'warning', line: 4, message: expect.stringContaining('not NAME=value') }),
    ])
  })

  it('knows versions: older, newer, and what is none', async () => {
    // A file that someone wrote by hand has no version, and no step would change it.
    for (const yaml of ['model: {}\n', '']) expect(await problems({ yaml })).toEqual([])
    for (const version of ['99', 'new'])
      expect(await problems({ yaml: `config_version: ${version}\n` })).toEqual([
        expect.objectContaining({ severity: 'error', path: 'config_version' }),
      ])
  })
})
