/** Built-in skills in a home: what a sync and a removal do with each state that a skill can be in. */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { definePlugin } from 'svc/sdk'
import { SkillOrigins, Skills } from 'svc/sdk/skills'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { compareSeed, listModified } from '../../../../plugins/skills/skill-seeds/compare.ts'
import { decideRemoval, decideSync } from '../../../../plugins/skills/skill-seeds/decide.ts'
import { planRemoval, removeSeeds } from '../../../../plugins/skills/skill-seeds/removal.ts'
import { resetSeed } from '../../../../plugins/skills/skill-seeds/reset.ts'
import { readSource } from '../../../../plugins/skills/skill-seeds/source.ts'
import { recoverSwaps } from '../../../../plugins/skills/skill-seeds/swap.ts'
import { syncSeeds } from '../../../../plugins/skills/skill-seeds/sync.ts'
import { hashFolder } from '../../../../plugins/skills/skill-seeds/tree.ts'
import { exists, root } from '../../../support/repository.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

type Files = Readonly<Record<string, string>>

const skill = (name: string, text: string) => `---\nname: ${name}\ndescription: Tests. Use it never.\n---\n${text}\n`

/** A program with skills, as a folder, and a home. */
class Place {
  readonly folder = temporaryFolder()
  readonly source = join(this.folder, 'builtin-skills')
  readonly skills = join(this.folder, 'home/skills')
  readonly claimed = new Set<string>()
  readonly external = new Set<string>()

  constructor() {
    mkdirSync(this.skills, { recursive: true })
  }

  /** Skills of the program by `category/name`, each with the text of its SKILL.md and a script. */
  release(texts: Files): void {
    rmSync(this.source, { recursive: true, force: true })
    const index = Object.entries(texts).map(([path, text]) => {
      const name = path.split('/')[1] ?? ''
      writeFiles(join(this.source, path), { 'SKILL.md': skill(name, text), 'scripts/run.sh': `echo ${text}\n` })
      return [path, hashFolder(join(this.source, path))]
    })
    writeFiles(this.source, { 'index.json': JSON.stringify(Object.fromEntries(index)) })
  }

  sync() {
    const isClaimed = ({ name }: { name: string }) => this.claimed.has(name)
    return syncSeeds(this.skills, readSource(this.source), { isClaimed, external: this.external, flush: false })
  }

  async remove() {
    const plan = planRemoval(this.skills, { isClaimed: ({ name }) => this.claimed.has(name) })
    return { removed: await removeSeeds(this.skills, plan), modified: plan.modified }
  }

  text(path: string): string | undefined {
    const file = join(this.skills, path, 'SKILL.md')
    return existsSync(file) ? readFileSync(file, 'utf8').split('---\n')[2]?.trim() : undefined
  }

  edit(path: string, text: string): void {
    writeFileSync(join(this.skills, path, 'SKILL.md'), skill(path.split('/').at(-1) ?? '', text))
  }

  manifest(): string[] {
    return readFileSync(join(this.skills, '.bundled_manifest'), 'utf8').trim().split('\n')
  }

  names(): string[] {
    return this.manifest()
      .filter((line) => !line.startsWith('#'))
      .map((line) => line.replace(/:.*/, ''))
  }
}

test('the table of a sync: every state of the copy, of its record and of the program', () => {
  const [absent, old, edited, fresh] = [undefined, 'old', 'edited', 'new']
  const table = [
    // The copy, its record, the program, what happens.
    [absent, absent, fresh, 'copy'],
    [fresh, absent, fresh, 'record'],
    [edited, absent, fresh, 'keep'],
    [old, absent, fresh, 'keep'],
    [absent, old, old, 'deleted'],
    [absent, old, fresh, 'deleted'],
    [absent, old, absent, 'drop'],
    [old, old, old, 'current'],
    [old, old, fresh, 'update'],
    [old, old, absent, 'drop'],
    [edited, old, old, 'modified'],
    [edited, old, fresh, 'modified'],
    [edited, old, absent, 'drop'],
    [fresh, old, fresh, 'record'],
    [fresh, old, old, 'modified'],
    [fresh, old, absent, 'drop'],
    // An earlier version recorded the name only.
    [absent, '', fresh, 'deleted'],
    [fresh, '', fresh, 'record'],
    [edited, '', fresh, 'modified'],
    [edited, '', absent, 'drop'],
    [absent, absent, absent, 'none'],
    [edited, absent, absent, 'none'],
  ] as const
  const found = table.map(([local, origin, upstream]) => [
    local,
    origin,
    upstream,
    decideSync({ local, origin, upstream }),
  ])
  expect(found).toEqual(table)
})

/** All that can have happened to a copied skill since: seven combinations, and none of the three. */
const happened = [false, true].flatMap((edited) =>
  [false, true].flatMap((changed) => [false, true].map((deleted) => ({ edited, changed, deleted }))),
)

/** What the copy is after a sync, and how the sync reports it. */
function expectedAfter({ edited, changed, deleted }: (typeof happened)[number]) {
  const nothing = { copied: [], updated: [], user_modified: [], cleaned: [], suppressed: [], shadowed_by_external: [] }
  const all = { ...nothing, skipped: 2, total_bundled: 2, skipped_opt_out: false }
  if (deleted) return { text: undefined, result: all }
  if (edited) return { text: 'mine', result: { ...all, skipped: 1, user_modified: ['one'] } }
  if (changed) return { text: 'second', backup: 'first', result: { ...all, skipped: 1, updated: ['one'] } }
  return { text: 'first', result: all }
}

test.for(happened)('a sync after user edit $edited, upstream change $changed, deletion $deleted', async (what) => {
  const place = new Place()
  place.release({ 'tools/one': 'first', 'tools/two': 'same' })
  await place.sync()
  if (what.edited) place.edit('tools/one', 'mine')
  if (what.deleted) rmSync(join(place.skills, 'tools/one'), { recursive: true })
  place.release({ 'tools/one': what.changed ? 'second' : 'first', 'tools/two': 'same' })
  const { text, backup, result } = expectedAfter(what)
  expect(await place.sync()).toEqual(result)
  expect([place.text('tools/one'), place.text('tools/two'), place.text('.bak/one')]).toEqual([text, 'same', backup])
  // A second sync finds nothing to do.
  expect(await place.sync()).toMatchObject({ copied: [], updated: [] })
  expect(place.text('tools/one')).toBe(text)
})

test.for(happened)(
  'opt-out --remove after user edit $edited, upstream change $changed, deletion $deleted',
  async (what) => {
    const place = new Place()
    place.release({ 'tools/one': 'first', 'tools/two': 'same' })
    await place.sync()
    writeFiles(place.skills, { 'mine/own/SKILL.md': skill('own', 'by hand') })
    if (what.edited) place.edit('tools/one', 'mine')
    if (what.deleted) rmSync(join(place.skills, 'tools/one'), { recursive: true })
    if (what.changed) place.release({ 'tools/one': 'second', 'tools/two': 'same' })
    const { removed, modified } = await place.remove()
    const { edited, deleted } = what
    expect(removed).toEqual(edited || deleted ? ['two'] : ['one', 'two'])
    expect(modified).toEqual(edited && !deleted ? ['one'] : [])
    expect(place.text('tools/one')).toBe(edited && !deleted ? 'mine' : undefined)
    expect(place.text('tools/two')).toBeUndefined()
    expect(place.text('mine/own')).toBe('by hand')
    // What the user deleted stays deleted; what the command deleted comes back with a sync.
    const again = await place.sync()
    expect(again.copied).toEqual(edited || deleted ? ['two'] : ['one', 'two'])
  },
)

test('only a copy that is byte-identical to its origin is deleted', () => {
  const states = [undefined, 'old', 'edited'].flatMap((local) =>
    [undefined, '', 'old'].map((origin) => ({ local, origin })),
  )
  const deleted = states.filter((state) => decideRemoval({ ...state, upstream: 'new' }))
  expect(deleted).toEqual([{ local: 'old', origin: 'old' }])
})

test('skills that were there before, or that another plugin brought, are not taken over', async () => {
  const place = new Place()
  place.release({ 'tools/same': 'x', 'tools/other': 'x', 'tools/hub': 'x', 'tools/far': 'x', 'tools/gone': 'x' })
  cpSync(join(place.source, 'tools/same'), join(place.skills, 'tools/same'), { recursive: true })
  cpSync(join(place.source, 'tools/hub'), join(place.skills, 'tools/hub'), { recursive: true })
  writeFiles(place.skills, {
    'mine/other/SKILL.md': skill('other', 'mine'),
    '.curator_suppressed': '# retired\ngone\n',
  })
  place.claimed.add('hub')
  place.external.add('far')
  const result = await place.sync()
  expect(result).toMatchObject({ copied: [], skipped: 3, suppressed: ['gone'], shadowed_by_external: ['far'] })
  expect(place.names()).toEqual(['same'])
  expect(readdirSync(join(place.skills, 'tools')).sort()).toEqual(['hub', 'same'])
  expect(await place.remove()).toEqual({ removed: ['same'], modified: [] })
})

test.for(['before the renames', 'between the renames', 'after the renames'] as const)(
  'an update that ended %s is completed or begun again',
  async (where) => {
    const place = new Place()
    place.release({ 'tools/one': 'first' })
    await place.sync()
    const from = hashFolder(join(place.skills, 'tools/one')) ?? null
    place.release({ 'tools/one': 'second' })
    const fresh = join(place.source, 'tools/one')
    const stage = join(place.skills, '.seeding')
    const swap = { name: 'one', path: 'tools/one', from, to: hashFolder(fresh) ?? null }
    writeFiles(stage, { 'journal.json': JSON.stringify([swap]) })
    if (where !== 'before the renames') rmSync(join(place.skills, 'tools/one'), { recursive: true })
    const target = where === 'after the renames' ? join(place.skills, 'tools/one') : join(stage, 'new/one')
    cpSync(fresh, target, { recursive: true })
    await recoverSwaps(place.skills)
    expect(place.text('tools/one')).toBe(where === 'before the renames' ? 'first' : 'second')
    expect(existsSync(stage)).toBe(false)
    // Whatever is there counts as a copy, not as an edit.
    place.release({ 'tools/one': 'third' })
    expect((await place.sync()).updated).toEqual(['one'])
  },
)

test('a journal that was not complete, or that leads out of the folder, is thrown away', async () => {
  const place = new Place()
  place.release({ 'tools/one': 'first' })
  await place.sync()
  const outside = { name: 'one', path: '../../one', from: null, to: 'x' }
  for (const text of ['[{"name"', JSON.stringify([outside]), '{}']) {
    writeFiles(join(place.skills, '.seeding'), { 'journal.json': text })
    await recoverSwaps(place.skills)
    expect([place.text('tools/one'), existsSync(join(place.skills, '.seeding'))]).toEqual(['first', false])
  }
})

test('a copy that a hub took over is not deleted', async () => {
  const place = new Place()
  place.release({ 'tools/one': 'x', 'tools/two': 'x' })
  await place.sync()
  place.claimed.add('one')
  expect(await place.remove()).toEqual({ removed: ['two'], modified: [] })
  expect(place.text('tools/one')).toBe('x')
})

test('a skill that the program no longer has becomes the user’s', async () => {
  const place = new Place()
  place.release({ 'tools/one': 'x', 'tools/two': 'x' })
  await place.sync()
  place.release({ 'tools/two': 'x' })
  expect((await place.sync()).cleaned).toEqual(['one'])
  expect(place.text('tools/one')).toBe('x')
  expect(place.names()).toEqual(['two'])
  expect((await place.remove()).removed).toEqual(['two'])
})

test('a copy that was moved to another category is updated there, and not copied a second time', async () => {
  const place = new Place()
  place.release({ 'tools/one': 'first' })
  await place.sync()
  mkdirSync(join(place.skills, 'mine'))
  renameSync(join(place.skills, 'tools/one'), join(place.skills, 'mine/one'))
  place.release({ 'tools/one': 'second' })
  expect((await place.sync()).updated).toEqual(['one'])
  expect([place.text('mine/one'), place.text('tools/one')]).toEqual(['second', undefined])
})

test('names without a hash, as the first version wrote them, are taken over where the copy is unchanged', async () => {
  const place = new Place()
  place.release({ 'tools/one': 'x', 'tools/two': 'x', 'tools/three': 'x' })
  await place.sync()
  place.edit('tools/two', 'mine')
  rmSync(join(place.skills, 'tools/three'), { recursive: true })
  writeFileSync(join(place.skills, '.bundled_manifest'), 'one\r\ntwo\r\nthree\r\n?? not a line\r\n')
  expect(await place.sync()).toMatchObject({ copied: [], updated: [], user_modified: ['two'] })
  expect(place.manifest().map((line) => line.replace(/[0-9a-f]{32,}$/, 'HASH'))).toEqual([
    '# source HASH',
    'one:HASH',
    'three',
    'two',
  ])
  expect((await place.remove()).removed).toEqual(['one'])
})

test('links are neither followed nor replaced nor deleted', async () => {
  const place = new Place()
  const outside = temporaryFolder()
  place.release({ 'tools/one': 'first', 'tools/two': 'first', 'linked/three': 'first' })
  symlinkSync(outside, join(place.skills, 'linked'))
  await place.sync()
  expect(readdirSync(outside)).toEqual([])
  expect(place.names()).toEqual(['one', 'two'])
  // The copy of the first becomes a link to an equal folder, the second gets a link inside.
  renameSync(join(place.skills, 'tools/one'), join(outside, 'one'))
  symlinkSync(join(outside, 'one'), join(place.skills, 'tools/one'))
  symlinkSync('SKILL.md', join(place.skills, 'tools/two/README.md'))
  place.release({ 'tools/one': 'second', 'tools/two': 'second' })
  expect(await place.sync()).toMatchObject({ updated: [], user_modified: ['one', 'two'] })
  expect(await place.remove()).toEqual({ removed: [], modified: ['one', 'two'] })
  expect(lstatSync(join(place.skills, 'tools/one')).isSymbolicLink()).toBe(true)
  expect(existsSync(join(outside, 'one/SKILL.md'))).toBe(true)
})

test('a program whose skills are damaged changes nothing', async () => {
  const place = new Place()
  place.release({ 'tools/one': 'first', 'tools/two': 'first' })
  await place.sync()
  place.release({ 'tools/one': 'second', 'tools/two': 'second' })
  writeFileSync(join(place.source, 'tools/two/SKILL.md'), 'cut')
  await expect(place.sync()).rejects.toThrow(/two is not what the list says/)
  expect([place.text('tools/one'), place.text('tools/two')]).toEqual(['first', 'first'])
  expect(readdirSync(place.skills).sort()).toEqual(['.bundled_manifest', 'tools'])
  for (const text of ['{', '{"../x/y": "0"}', '{"tools/one": "no hash"}', '[]x']) {
    writeFileSync(join(place.source, 'index.json'), text)
    expect(() => readSource(place.source)).toThrow(/is damaged/)
  }
  place.release({ 'tools/one': 'third' })
  symlinkSync('/etc/hostname', join(place.source, 'tools/one/link'))
  await expect(place.sync()).rejects.toThrow('is not what the list says')
})

test('what an interpreter leaves beside a script is no edit', async () => {
  const place = new Place()
  place.release({ 'tools/one': 'first' })
  await place.sync()
  writeFiles(join(place.skills, 'tools/one'), { 'scripts/__pycache__/run.pyc': 'x', '.DS_Store': 'x' })
  place.release({ 'tools/one': 'second' })
  expect((await place.sync()).updated).toEqual(['one'])
})

async function openHome() {
  const kernel = await testKernel({ plugins: ['skill-seeds'] })
  onTestFinished(() => kernel.stop())
  const total = readSource(join(root, 'builtin-skills')).skills.length
  return { kernel, total, folder: join(kernel.home, 'skills'), marker: join(kernel.home, '.no-bundled-skills') }
}

test('svc skills sync, opt-out and opt-in: what is copied, previewed, deleted and brought back', async () => {
  const { kernel, total, folder, marker } = await openHome()
  expect(existsSync(folder)).toBe(false)
  const first = await kernel.run(['skills', 'sync'])
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(first.out).toContain(`${total} of ${total} built-in skills changed.`)
  expect((await kernel.run(['skills', 'sync'])).out).toBe(`All ${total} built-in skills are up to date.\n`)
  const edited = join(folder, 'code/debugging/SKILL.md')
  writeFileSync(edited, 'mine')

  expect((await kernel.run(['skills', 'opt-out', '--remove'])).err).toContain('add --yes')
  const refused = await kernel.run(['skills', 'opt-out', '--remove'], { interactive: true, answers: ['n'] })
  expect(refused).toMatchObject({ code: 1 })
  expect(refused.out).toMatch(/^To be deleted: .*telephony.*\nKept, because you changed them: debugging\n$/)
  expect(existsSync(marker)).toBe(false)

  const plain = await kernel.run(['skills', 'opt-out'])
  expect(plain.out).toContain('`svc skills opt-in --sync` brings them back')
  expect([existsSync(marker), existsSync(join(folder, 'communication/telephony'))]).toEqual([true, true])
  expect((await kernel.run(['skills', 'sync'])).out).toContain('Nothing was copied')
  const skipped = JSON.parse((await kernel.run(['skills', 'sync', '--json'])).out)
  expect(skipped).toMatchObject({ skipped_opt_out: true, copied: [], total_bundled: total })

  const removed = JSON.parse((await kernel.run(['skills', 'opt-out', '--remove', '--yes', '--json'])).out)
  expect(removed).toMatchObject({ opted_out: true, user_modified: ['debugging'] })
  expect(removed.removed).toHaveLength(total - 1)
  expect(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('SKILL.md')),
  ).toEqual(['code/debugging/SKILL.md'])

  const back = await kernel.run(['skills', 'opt-in', '--sync'])
  expect(back.out).toContain(`${total - 1} of ${total} built-in skills changed.`)
  expect([existsSync(marker), readFileSync(edited, 'utf8')]).toEqual([false, 'mine'])
  expect((await kernel.run(['skills', 'opt-in'])).out).toContain('were not switched off')
})

test('a folder of skills that cannot be written is an error that names it', async () => {
  const { kernel, folder } = await openHome()
  writeFileSync(folder, 'a file')
  const { code, err } = await kernel.run(['skills', 'sync'])
  expect(code).toBe(1)
  expect(err).toContain(`The skills in ${folder} could not be changed: `)
})

test('the list of skills learns which are built in, and is read again after a change', async () => {
  let reloads = 0
  const list = definePlugin({
    setup(ctx) {
      ctx.provide(Skills, () => ({ list: async () => [], reload: async () => ++reloads }) as unknown as Skills)
    },
  })
  const watcher = { find: (skill: { name: string; folder: string }) => skill }
  const seen: { record?: (typeof watcher)['find'] } = {}
  const asker = definePlugin({
    setup(ctx) {
      ctx.onStart(() => {
        const record = ctx.all(SkillOrigins).get('skill-seeds')
        seen.record = (skill) => record?.find(skill) as unknown as ReturnType<(typeof watcher)['find']>
      })
    },
  })
  const kernel = await testKernel({
    plugins: ['skill-seeds'],
    with: [
      { name: 'list', provides: ['skills'], ...list },
      { name: 'asker', ...asker },
    ],
  })
  onTestFinished(() => kernel.stop())
  const folder = join(kernel.home, 'skills/communication/telephony')
  expect(seen.record?.({ name: 'telephony', folder })).toBeUndefined()
  await kernel.run(['skills', 'sync'])
  expect(reloads).toBe(1)
  await new Promise(setImmediate)
  expect(seen.record?.({ name: 'telephony', folder })).toEqual({ origin: 'builtin', trust: 'builtin', source: 'svc' })
  expect(seen.record?.({ name: 'own', folder })).toBeUndefined()
  expect(exists('builtin-skills/communication/telephony/SKILL.md')).toBe(true)
})

test('changed copies are named, compared and replaced, deleted ones come back, and those of others stay', async () => {
  const place = new Place()
  place.release({ 'a/one': 'One.', 'a/two': 'Two.', 'a/three': 'Three.' })
  await place.sync()
  const source = readSource(place.source)
  const isClaimed = ({ name }: { name: string }) => place.claimed.has(name)
  const reset = (name: string, isRestored = false) => resetSeed(place.skills, source, { name, isRestored, isClaimed })
  expect(listModified(place.skills, source)).toEqual([])
  place.edit('a/one', 'Mine.')
  writeFiles(join(place.skills, 'a/one'), { 'notes.md': 'Mine, too.\n' })
  expect(listModified(place.skills, source)).toEqual([{ name: 'one', path: 'a/one', has_update: false }])
  const compared = await compareSeed(place.skills, source, 'one')
  expect(compared.map(({ path, what }) => [path, what])).toEqual([
    ['SKILL.md', 'changed'],
    ['notes.md', 'added'],
  ])
  expect(compared[0]?.diff).toContain('-One.\n+Mine.\n')
  expect(await reset('one', true)).toBe('copied')
  expect(await compareSeed(place.skills, source, 'one')).toEqual([])
  expect(place.text('.bak/one')).toBe('Mine.')
  expect(await reset('one')).toBe('current')

  rmSync(join(place.skills, 'a/two'), { recursive: true })
  expect(await reset('two')).toBe('copied')
  expect(place.text('a/two')).toBe('Two.')

  place.edit('a/three', 'Mine.')
  expect(await reset('three')).toBe('kept')
  place.release({ 'a/one': 'One.', 'a/two': 'Two.', 'a/three': 'Newer.' })
  expect(await place.sync()).toMatchObject({ user_modified: [], updated: [] })
  expect(place.text('a/three')).toBe('Mine.')

  place.claimed.add('three')
  expect(await reset('three', true)).toBe('claimed')
  await expect(compareSeed(place.skills, source, 'four')).rejects.toMatchObject({ code: 'SKILL_SEEDS_UNKNOWN' })
})

test('skills list-modified, diff and reset tell what is there and what to do', async () => {
  await using kernel = await testKernel({ plugins: ['skill-seeds', 'skills'] })
  await kernel.run(['skills', 'sync'])
  expect((await kernel.run(['skills', 'list-modified'])).out).toBe('You changed no built-in skill.\n')
  expect((await kernel.run(['skills', 'diff', 'telephony'])).out).toBe('Your copy of telephony is that of svc.\n')
  const file = join(kernel.home, 'skills/communication/telephony/SKILL.md')
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, `${before}\nCall me first.\n`)
  expect((await kernel.run(['skills', 'list-modified'])).out).toMatch(
    /^telephony +communication\/telephony\n.*skills diff/,
  )
  expect((await kernel.run(['skills', 'diff', 'telephony'])).out).toContain('+Call me first.')
  expect((await kernel.run(['skills', 'reset', 'telephony', '--restore'])).err).toContain('add --yes')
  const restored = await kernel.run(['skills', 'reset', 'telephony', '--restore', '--yes'])
  expect(restored.out).toBe('telephony is that of svc now. A copy that was replaced is in skills/.bak/telephony.\n')
  expect(readFileSync(file, 'utf8')).toBe(before)
})
