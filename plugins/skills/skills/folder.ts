/** The files of a skill: which there are, a hash over them, and the text of one, never outside of its folder. */
import { open, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import { SvcError } from 'svc/sdk'
import { createSkillHash, SKIPPED_IN_SKILLS } from 'svc/sdk/kit/files'
import type { SkillFile, SkillFolder } from 'svc/sdk/skills'
import { invalid, parseSkill } from './header.ts'

const MAX_FILES = 1000
const MAX_BYTES = 10 * 2 ** 20
/** Bytes of a file that a model reads. */
const MAX_TEXT_BYTES = 2 ** 20

/** All files below a folder by their paths. Throws `SKILL_INVALID` for links that lead out of it and for too much. */
export async function listFiles(folder: string, signal?: AbortSignal): Promise<readonly SkillFile[]> {
  const root = await realpath(folder).catch(() => undefined)
  if (root === undefined) throw invalid(`there is no folder ${folder}`)
  const found: SkillFile[] = []
  let total = 0
  for await (const file of walk(root)) {
    signal?.throwIfAborted()
    total += file.bytes
    found.push(file)
    if (found.length > MAX_FILES) throw invalid(`it has more than ${MAX_FILES} files`)
    if (total > MAX_BYTES) throw invalid(`it has more than ${MAX_BYTES / 2 ** 20} MiB`)
  }
  return found.sort((one, two) => (one.path < two.path ? -1 : 1))
}

async function* walk(root: string, inner = ''): AsyncIterable<SkillFile> {
  for (const entry of await readdir(join(root, inner), { withFileTypes: true })) {
    if (SKIPPED_IN_SKILLS.has(entry.name)) continue
    const path = inner === '' ? entry.name : `${inner}/${entry.name}`
    const file = entry.isDirectory() ? undefined : await lookAt(root, path, entry.isSymbolicLink())
    if (entry.isDirectory()) yield* walk(root, path)
    else if (file) yield file
  }
}

/** Undefined for a link to a folder inside, whose files are found there. */
async function lookAt(root: string, path: string, isLink: boolean): Promise<SkillFile | undefined> {
  if (isLink && !(await leadsInside(root, join(root, path)))) throw invalid(`the link ${path} leads out of the folder`)
  const facts = await stat(join(root, path))
  if (isLink && facts.isDirectory()) return undefined
  if (!facts.isFile()) throw invalid(`${path} is not an ordinary file`)
  return { path, bytes: facts.size }
}

async function leadsInside(root: string, link: string): Promise<boolean> {
  const target = await realpath(link).catch(() => undefined)
  return target?.startsWith(root + sep) === true
}

/** Reads a whole folder as a skill. Throws `SKILL_INVALID`. */
export async function inspectFolder(folder: string, signal?: AbortSignal): Promise<SkillFolder> {
  const files = await listFiles(folder, signal)
  if (!files.some(({ path }) => path === 'SKILL.md')) throw invalid(`${folder} has no SKILL.md`)
  const hash = createSkillHash()
  for (const { path } of files) {
    signal?.throwIfAborted()
    hash.add(path, await readFile(join(folder, path)))
  }
  const text = await readText(folder, 'SKILL.md')
  const parsed = await parseSkill(text, basename(resolve(folder)))
  return { ...parsed, files, hash: hash.finish() }
}

/** The text of a file of a skill. Throws `SKILL_NOT_FOUND` and `SKILL_INVALID`. */
export async function readText(folder: string, path: string): Promise<string> {
  const root = await realpath(folder)
  const wanted = resolve(root, path)
  const inner = relative(root, wanted)
  if (path.includes('\0') || inner === '' || inner.startsWith('..') || resolve(root, inner) !== wanted)
    throw invalid(`the path ${path} leads out of its folder`)
  const real = await realpath(wanted).catch(() => undefined)
  if (real === undefined) throw new SvcError('SKILL_NOT_FOUND', `The skill has no file ${path}.`)
  if (!real.startsWith(root + sep)) throw invalid(`the path ${path} leads out of its folder`)
  const handle = await open(real, 'r')
  try {
    const facts = await handle.stat()
    if (!facts.isFile()) throw new SvcError('SKILL_NOT_FOUND', `${path} is a folder or no ordinary file.`)
    if (facts.size > MAX_TEXT_BYTES) throw invalid(`${path} has more than ${MAX_TEXT_BYTES / 2 ** 20} MiB`)
    const bytes = await handle.readFile()
    if (bytes.includes(0)) throw invalid(`${path} is not a text`)
    return new TextDecoder().decode(bytes)
  } finally {
    await handle.close()
  }
}
