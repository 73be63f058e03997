import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openRadio } from '../../../support/radio.ts'

/** A kernel whose $EDITOR runs a script; `file` is the draft, `run` counts its runs. */
async function withEditor(script: string, yaml?: string) {
  const radio = await openRadio(yaml === undefined ? {} : { yaml })
  const home = radio.home
  const program = join(home, 'editor.cjs')
  writeFileSync(
    program,
    `const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs')
     const file = process.argv.at(-1), home = ${JSON.stringify(home)}, count = home + '/runs'
     const run = existsSync(count) ? readFileSync(count, 'utf8').length : 0
     appendFileSync(count, 'x')
     const text = readFileSync(file, 'utf8')
     ${script}`,
  )
  writeFileSync(join(home, '.env'), `VISUAL="'${process.execPath}' '${program}' --wait"\n`)
  await radio.kernel.applyConfig()
  const edit = (...answers: string[]) => radio.svc('edit', { interactive: true, answers })
  return { ...radio, edit, drafts: () => draftsBelow(home), [Symbol.asyncDispose]: () => radio.kernel.stop() }
}

function draftsBelow(home: string): string[] {
  const files = readdirSync(home, { recursive: true, withFileTypes: true })
  return files.filter(({ name }) => name.startsWith('draft-')).map(({ parentPath, name }) => join(parentPath, name))
}

describe('svc config edit', () => {
  it('takes a good draft, shows what changed and can be undone', async () => {
    await using radio = await withEditor(`writeFileSync(file, text + 'b: 2 # two\\n')`, 'a: 1\n')
    const { code, out } = await radio.edit()
    expect(code).toBe(0)
    expect(out).toContain('+b: 2 # two')
    expect(radio.yaml()).toBe('a: 1\nb: 2 # two\n')
    await radio.svc('undo')
    expect(radio.yaml()).toBe('a: 1\n')
    expect(radio.drafts()).toEqual([])
  })

  it('changes nothing when the draft is left as it was', async () => {
    await using radio = await withEditor('')
    expect((await radio.edit()).out).toBe('Nothing was changed.\n')
    expect(radio.yaml()).toBeUndefined()
  })

  it('never takes a broken draft: it can be mended', async () => {
    await using radio = await withEditor(`writeFileSync(file, run === 0 ? 'a: [1\\n' : 'a: 2\\n')`, 'a: 1\n')
    const { code, err } = await radio.edit('y')
    expect(err).toMatch(/line 2, column 1/)
    expect(code).toBe(0)
    expect(radio.yaml()).toBe('a: 2\n')
  })

  it('keeps the old file and the draft when a broken one is given up', async () => {
    const bad = 'plugins: {entries: {radio: {volume: 99}}}\n'
    await using radio = await withEditor(`writeFileSync(file, ${JSON.stringify(bad)})`, 'a: 1\n')
    const { code, err } = await radio.edit('n')
    expect(code).toBe(1)
    expect(err).toContain('plugins.entries.radio.volume is 99')
    expect(radio.yaml()).toBe('a: 1\n')
    expect(radio.drafts().map((draft) => readFileSync(draft, 'utf8'))).toEqual([bad])
  })

  it('mends a file that was broken by hand', async () => {
    await using radio = await withEditor(`writeFileSync(file, 'a: [1]\\n')`, 'a: [1\n')
    expect((await radio.edit()).code).toBe(0)
    expect(radio.yaml()).toBe('a: [1]\n')
  })

  it('keeps what another program wrote meanwhile, and refuses when both changed one line', async () => {
    const other = `writeFileSync(home + '/config.yaml', readFileSync(home + '/config.yaml', 'utf8').replace('b: 2', 'b: 3'))`
    await using radio = await withEditor(`${other}; writeFileSync(file, text.replace('a: 1', 'a: 5'))`, 'a: 1\nb: 2\n')
    expect((await radio.edit()).code).toBe(0)
    expect(radio.yaml()).toBe('a: 5\nb: 3\n')
    await using rival = await withEditor(`${other}; writeFileSync(file, text.replace('b: 2', 'b: 9'))`, 'a: 1\nb: 2\n')
    expect((await rival.edit()).err).toMatch(
      /Your draft is kept: .*changed by another program at line 2.*CONFIG_EDIT_CONFLICT/s,
    )
    expect(rival.yaml()).toBe('a: 1\nb: 3\n')
  })

  it('keeps what was typed when the editor fails after saving', async () => {
    await using radio = await withEditor(`writeFileSync(file, 'typed: 1\\n'); process.exit(3)`, 'a: 1\n')
    expect((await radio.edit()).err).toMatch(/Your draft is kept: .*CONFIG_EDITOR/s)
    expect(radio.drafts().map((draft) => readFileSync(draft, 'utf8'))).toEqual(['typed: 1\n'])
  })

  it('says so when the editor fails or no one sits at the terminal', async () => {
    await using radio = await withEditor('process.exit(3)', 'a: 1\n')
    expect((await radio.edit()).err).toMatch(/failed: it ended with 3.*CONFIG_EDITOR/)
    expect(radio.drafts()).toEqual([])
    expect((await radio.svc('edit')).err).toContain('An editor needs a terminal')
    expect(radio.yaml()).toBe('a: 1\n')
  })
})
