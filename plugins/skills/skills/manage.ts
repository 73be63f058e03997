/** The work of `skill_manage`. A new skill is a folder of its own; every change of a skill is an edit beside its files. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Clock, type Logger, type Random, SvcError } from 'svc/sdk'
import { hasHiddenText } from 'svc/sdk/kit/terminal'
import type { SkillScanner, Skills } from 'svc/sdk/skills'
import type { PluginState } from 'svc/sdk/storage'
import { findDuplicate } from './duplicates.ts'
import { applyEdits, type EditBook, MAX_EDITS, replace, type SkillEdit, selectEdits } from './edits.ts'
import { readText } from './folder.ts'
import { parseSkill, toSlug } from './header.ts'
import type { ManageInput } from './manage-input.ts'
import type { StagedWrites } from './staged/store.ts'
import type { Writer } from './writer.ts'

export interface ManageDeps {
  skills(): Skills
  readonly edits: PluginState<EditBook>
  /** `SVC_HOME/skills`. */
  readonly root: string
  /** Where new folders are put together. */
  readonly staging: string
  readonly clock: () => Clock
  readonly log: Logger
  readonly random: () => Random
  /** Undefined: there is no scanner, and a person has to agree to each change. */
  scanner(): Promise<SkillScanner | undefined>
  mask(text: string): string
  /** Changes that wait for a person. */
  readonly staged: StagedWrites
}

/** Makes the change if the writer's person agrees. Returns what is told to the model. */
export async function manageAs(deps: ManageDeps, input: ManageInput, writer: Writer): Promise<string> {
  if (input.action === 'create') return create(deps, input, writer)
  if (input.action === 'delete') return retire(deps, input, writer)
  return change(deps, input, writer)
}

async function create(deps: ManageDeps, input: ManageInput, writer: Writer): Promise<string> {
  const text = need(input, 'content')
  refuseSecrets(deps, text)
  const { header, body } = await parseSkill(text, toSlug(input.name))
  const category = input.category === undefined ? '' : toSlug(input.category)
  if (input.category !== undefined && category === '') throw refuse('the category needs letters or digits')
  await refuseDuplicate(deps, { header, body })
  const what = `keep the skill ${header.name}: ${header.description}`
  const findings = await scan(deps, { 'SKILL.md': text }, writer.signal)
  const waits = await writer.agree({ what, diff: await formatDiff('SKILL.md', '', text), findings })
  if (waits !== undefined) return waits
  const folder = join(deps.root, category, header.name)
  const staged = join(deps.staging, deps.random().hex(6))
  const entry = { folder, ...describe(deps, input, writer) }
  // Before the folder is there: after a crash a skill of the model is never taken for one of the user.
  if (writer.author !== 'person') await deps.edits.update((book) => ({ ...book, created: [...book.created, entry] }))
  try {
    await mkdir(staged, { recursive: true, mode: 0o700 })
    await writeFile(join(staged, 'SKILL.md'), text, { mode: 0o600 })
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
    await rename(staged, folder)
  } catch (error) {
    await deps.edits.update((book) => ({ ...book, created: book.created.filter((each) => !isSame(each, entry)) }))
    throw error
  } finally {
    await rm(staged, { recursive: true, force: true })
  }
  await deps.skills().reload()
  return `Created ${header.name}. Later conversations see it in their list.`
}

function isSame(one: EditBook['created'][number], two: EditBook['created'][number]): boolean {
  return one.folder === two.folder && one.at === two.at
}

async function refuseDuplicate(deps: ManageDeps, fresh: Parameters<typeof findDuplicate>[0]): Promise<void> {
  const known = await Promise.all(
    (await deps.skills().list()).map(async (skill) => ({ header: skill, body: await readBody(skill.folder) })),
  )
  const like = findDuplicate(fresh, known)
  if (!like) return
  const { name } = like.header
  const reason =
    name === fresh.header.name ? `The skill ${name} exists already.` : `The skill ${name} is nearly the same.`
  throw new SvcError('SKILL_DUPLICATE', `${reason} Patch that one instead.`)
}

/** What cannot be read is like no other skill. */
async function readBody(folder: string): Promise<string> {
  const text = await readText(folder, 'SKILL.md').catch(() => '')
  return text.replace(/^\ufeff?---[\s\S]*?\n---/, '')
}

/** A skill that a model wrote goes into the archive; those of others stay. */
async function retire(deps: ManageDeps, input: ManageInput, writer: Writer): Promise<string> {
  const skill = await find(deps, input.name)
  if (skill.trust !== 'model')
    throw refuse(`only skills that you wrote can be retired; the user removes ${skill.name} with svc skills remove`)
  const waits = await writer.agree({ what: `retire the skill ${skill.name}`, diff: '', findings: [] })
  if (waits !== undefined) return waits
  const archive = join(deps.root, '.archive', `${skill.name}-${deps.clock().now()}`)
  await mkdir(dirname(archive), { recursive: true, mode: 0o700 })
  await rename(skill.folder, archive)
  await deps.skills().reload()
  return `Retired ${skill.name}. The user finds it in ${archive}.`
}

async function change(deps: ManageDeps, input: ManageInput, writer: Writer): Promise<string> {
  const skill = await find(deps, input.name)
  const path = input.action === 'edit' ? 'SKILL.md' : (input.file_path ?? 'SKILL.md')
  if (input.action === 'remove_file' && path === 'SKILL.md') throw refuse('SKILL.md cannot be removed')
  if (input.action === 'write_file') need(input, 'file_path')
  const base = await readBase(skill.folder, path)
  const before = applyEdits(base, selectEdits(deps.edits.get(), skill.folder, path)).text
  const made = makeEdit(input, before)
  const after = applyEdits(before, [made as SkillEdit]).text
  if (after !== undefined) refuseSecrets(deps, after)
  if (path === 'SKILL.md') await checkHeader(after ?? '', skill.name)
  const files = after === undefined ? {} : { [path]: after }
  const findings = await scan(deps, files, writer.signal)
  const diff = await formatDiff(path, before ?? '', after ?? '')
  const waits = await writer.agree({ what: `change ${path} of the skill ${skill.name}`, diff, findings })
  if (waits !== undefined) return waits
  const entry = { ...made, ...describe(deps, input, writer), skill: skill.name, folder: skill.folder, path, diff }
  const { next } = await deps.edits.update((book) => {
    if (book.edits.length >= MAX_EDITS)
      throw refuse('there are too many edits; the user clears them with svc skills edits')
    return {
      ...book,
      next: book.next + 1,
      edits: [...book.edits, { ...entry, id: book.next, author: writer.author ?? 'model' }],
    }
  })
  return `Changed ${path} of ${skill.name} (edit ${next - 1}).`
}

/** SKILL.md of a skill with its edits. Throws `SKILL_NOT_FOUND`. */
export async function readSource(
  deps: ManageDeps,
  name: string,
): Promise<{ readonly folder: string; readonly text: string }> {
  const { folder } = await find(deps, name)
  const base = await readBase(folder, 'SKILL.md')
  return { folder, text: applyEdits(base, selectEdits(deps.edits.get(), folder, 'SKILL.md')).text ?? '' }
}

type Made = Pick<SkillEdit, 'kind'> & Partial<Pick<SkillEdit, 'before' | 'after' | 'all'>>

function makeEdit(input: ManageInput, before: string | undefined): Made {
  if (input.action === 'edit') return { kind: 'write', after: need(input, 'content') }
  if (input.action === 'write_file') return { kind: 'write', after: need(input, 'file_content') }
  if (before === undefined) throw refuse('the skill has no such file')
  if (input.action === 'remove_file') return { kind: 'remove' }
  const old = need(input, 'old_string')
  const count = before.split(old).length - 1
  const all = input.replace_all === true
  if (count === 0) throw refuse('old_string is not in the file; read it with skill_view')
  if (count > 1 && !all) throw refuse(`old_string is there ${count} times; give more of it, or set replace_all`)
  const after = input.new_string ?? ''
  if (replace(before, old, after, all) === before) throw refuse('nothing would change')
  return { kind: 'replace', before: old, after, ...(all && { all }) }
}

async function checkHeader(text: string, name: string): Promise<void> {
  const { header } = await parseSkill(text, name)
  if (header.name !== name) throw refuse(`the name has to stay ${name}`)
}

/** Undefined for a file that is not there. Paths that lead out of the folder are refused by the reader. */
async function readBase(folder: string, path: string): Promise<string | undefined> {
  try {
    return await readText(folder, path)
  } catch (error) {
    if (error instanceof SvcError && error.code === 'SKILL_NOT_FOUND') return undefined
    throw error
  }
}

async function find(deps: ManageDeps, name: string) {
  const skill = await deps.skills().find(name)
  if (skill) return skill
  throw new SvcError('SKILL_NOT_FOUND', `There is no skill ${name}. skills_list shows them.`)
}

function need(input: ManageInput, key: 'content' | 'file_content' | 'file_path' | 'old_string'): string {
  const value = input[key]
  if (value === undefined || value === '') throw refuse(`${input.action} needs ${key}`)
  return value
}

function refuseSecrets({ mask }: ManageDeps, text: string): void {
  if (mask(text) !== text) throw refuse('it holds a secret')
  if (hasHiddenText(text)) throw refuse('it has characters that cannot be seen')
}

async function formatDiff(path: string, before: string, after: string): Promise<string> {
  const { createTwoFilesPatch } = await import('diff')
  return createTwoFilesPatch(path, path, before, after, undefined, undefined, { context: 2 })
}

async function scan(
  { scanner, staging, random }: ManageDeps,
  files: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = await scanner()
  if (!found) return ['It cannot be scanned for harm: the plugin skill-scan is not running.']
  const folder = join(staging, random().hex(6))
  try {
    const all = Object.keys(files).includes('SKILL.md')
      ? files
      : { ...files, 'SKILL.md': '---\nname: scan\ndescription: scan\n---\n' }
    for (const [path, text] of Object.entries(all)) {
      await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
      await writeFile(join(folder, path), text, { mode: 0o600 })
    }
    const { verdict, findings } = await found.scan(folder, { signal })
    return verdict === 'dangerous' ? findings.map(({ message }) => message) : []
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function describe({ clock }: ManageDeps, { reason }: ManageInput, { sessionId, stagedId, ...writer }: Writer) {
  const origins = writer.origins()
  const origin = origins.length > 0 ? { origin: origins.join(', ') } : {}
  return { at: clock().now(), reason, sessionId, ...origin, ...(stagedId !== undefined && { stagedId }) }
}

function refuse(reason: string): SvcError {
  return new SvcError('SKILL_REFUSED', `Not done: ${reason}.`)
}
