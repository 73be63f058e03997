/** Where the skills of the home are: users move them between categories. */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Folders of skills by name, as paths below the root with slashes. Folders that begin with a dot are not looked into. */
export type LocalSkills = ReadonlyMap<string, string>

/** Finds `<skill>` and `<category>/<skill>`. A link counts as a skill and is not followed. Throws the error of the system. */
export function findLocalSkills(root: string): LocalSkills {
  const found = new Map<string, string>()
  for (const top of listNames(root)) {
    if (isSkill(join(root, top)) || isLink(join(root, top))) found.set(top, top)
    if (isSkill(join(root, top)) || !isFolder(join(root, top))) continue
    for (const name of listNames(join(root, top))) if (!found.has(name)) found.set(name, `${top}/${name}`)
  }
  return found
}

/** Whether a skill can be put there: what is above it is a real folder, or does not exist yet. */
export function isFree(root: string, path: string): boolean {
  const [category = ''] = path.split('/')
  const above = lstatSync(join(root, category), { throwIfNoEntry: false })
  const there = above && lstatSync(join(root, path), { throwIfNoEntry: false })
  return (above === undefined || above.isDirectory()) && there === undefined
}

function listNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .sort()
}

function isSkill(folder: string): boolean {
  return isFolder(folder) && lstatSync(join(folder, 'SKILL.md'), { throwIfNoEntry: false }) !== undefined
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}
