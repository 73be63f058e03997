/** What a model reads of a skill: substitutions, what is missing, and several skills as one message. */
import { access, constants } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { markUntrusted } from 'svc/sdk/safety'
import type { Skill, SkillText } from 'svc/sdk/skills'
import type { Config } from './config.ts'

/** What the texts of a skill may name. */
export interface SkillVariables {
  readonly sessionId?: string
}

/** `${SKILL_DIR}` and `${SESSION_ID}`, also under the names of other agents, become what they stand for. */
export function substitute(text: string, { folder }: Pick<Skill, 'folder'>, { sessionId }: SkillVariables): string {
  return text.replace(/\$\{(?:[A-Z]+_)?(SKILL_DIR|SESSION_ID)\}/g, (whole, name) =>
    name === 'SKILL_DIR' ? folder : (sessionId ?? whole),
  )
}

type Settings = Config['config']

/** The text with the values of the settings that a skill asks for: of the block `skills.config`, else its defaults. */
export function addSettings(text: string, { settings }: Pick<Skill, 'settings'>, values: Settings): string {
  if (settings.length === 0) return text
  const lines = settings.map(({ key, description, default: standard }) => {
    const value = findSetting(key, values) ?? standard
    const shown = value === undefined ? 'not set' : JSON.stringify(value)
    return `- ${key}: ${shown}${description === '' ? '' : ` (${description})`}`
  })
  return `${text.trimEnd()}\n\nSettings, from skills.config in config.yaml:\n${lines.join('\n')}\n`
}

/** `wiki.path` is a key of its own, or `path` in the block `wiki`, as `svc config set` writes it. */
function findSetting(key: string, values: Settings): string | number | boolean | undefined {
  const own = Object.hasOwn(values, key) ? values[key] : undefined
  if (own !== undefined) return typeof own === 'object' ? undefined : own
  const dot = key.indexOf('.')
  const block = dot > 0 && Object.hasOwn(values, key.slice(0, dot)) ? values[key.slice(0, dot)] : undefined
  const inner = key.slice(dot + 1)
  return typeof block === 'object' && Object.hasOwn(block, inner) ? block[inner] : undefined
}

/** Names of variables that are not set, of programs that are not in `path`, and of files with credentials that are not there. */
export async function findMissing(
  { variables, commands, credentialFiles }: Pick<Skill, 'variables' | 'commands' | 'credentialFiles'>,
  { getVariable, home }: { readonly getVariable: (name: string) => string | undefined; readonly home: string },
): Promise<readonly string[]> {
  const unset = variables.filter(({ name, optional }) => !optional && !getVariable(name)).map(({ name }) => name)
  const folders = (getVariable('PATH') ?? '').split(delimiter).filter((folder) => folder !== '')
  const absent = await Promise.all(commands.map(async (name) => ((await isProgram(name, folders)) ? [] : [name])))
  const files = await Promise.all(credentialFiles.map(async (path) => ((await isThere(path, home)) ? [] : [path])))
  return [...unset, ...absent.flat(), ...files.flat()]
}

/** Relative paths are of the home of svc. */
function isThere(path: string, home: string): Promise<boolean> {
  const file = resolve(
    home,
    path.replace(/^~(?=$|\/)/, () => homedir()),
  )
  return access(file).then(
    () => true,
    () => false,
  )
}

async function isProgram(name: string, folders: readonly string[]): Promise<boolean> {
  if (!/^[\w.+-]+$/.test(name)) return false
  const tries = folders.flatMap((folder) => [join(folder, name), join(folder, `${name}.exe`)])
  const found = await Promise.all(
    tries.map((file) =>
      access(file, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}

/** Where the text of a skill comes from, as a phrase, when its author is not known; gates take it into account. */
export function findForeign({ name, trust, source }: Skill): string | undefined {
  return trust === 'community' ? `skill ${name}${source === undefined ? '' : ` from ${source}`}` : undefined
}

/** A skill as a part of a message. */
export function formatLoaded({ skill, text, files, missing }: SkillText): string {
  const foreign = findForeign(skill)
  const body = foreign === undefined ? text.trim() : markUntrusted(text.trim(), foreign)
  const notes = [
    `Skill ${skill.name} (folder ${skill.folder}):`,
    body,
    ...(files.length > 0 ? [`Its other files, to be read with skill_view: ${listPaths(files)}.`] : []),
    ...(missing.length > 0 ? [`Not set up here: ${missing.join(', ')}.`] : []),
  ]
  return notes.join('\n\n')
}

/** Paths of files in one line; of many the first ones. */
function listPaths(files: SkillText['files']): string {
  const shown = files.slice(0, 40).map(({ path }) => path)
  return `${shown.join(', ')}${files.length > shown.length ? ` and ${files.length - shown.length} more` : ''}`
}
