/** The skills that come with the program, as files. */
import { join } from 'node:path'
import { parse } from 'yaml'
import { filesBelow, read, root } from '../support/repository.ts'

/** A skill of the repository. */
export interface BuiltInSkill {
  readonly name: string
  /** From the top level, with slashes. */
  readonly folder: string
  readonly header: Readonly<Record<string, unknown>>
  readonly body: string
  /** Relative to its folder. */
  readonly files: readonly string[]
}

/** All of them, by their folders. */
export function builtInSkills(): BuiltInSkill[] {
  const all = filesBelow('builtin-skills')
  return all
    .filter((file) => file.endsWith('/SKILL.md'))
    .map((file) => {
      const folder = file.slice(0, -'/SKILL.md'.length)
      const [, head = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(read(file)) ?? []
      const files = all.filter((each) => each.startsWith(`${folder}/`)).map((each) => each.slice(folder.length + 1))
      return { name: folder.split('/').at(-1) ?? '', folder, header: parse(head) ?? {}, body, files }
    })
}

/** Absolute path of a file of a skill. */
export function skillFile(skill: string, file: string): string {
  const found = builtInSkills().find(({ name }) => name === skill)
  if (!found) throw new Error(`there is no built-in skill ${skill}`)
  return join(root, found.folder, file)
}
