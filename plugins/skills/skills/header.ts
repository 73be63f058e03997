/** Reads SKILL.md: front matter in YAML between two lines of hyphens, then Markdown. https://agentskills.io/specification */
import { errorMessage, SvcError } from 'svc/sdk'
import { escapeUnseen, hasHiddenText, safeLine } from 'svc/sdk/kit/terminal'
import type { SkillConditions, SkillConfigKey, SkillHeader, SkillVariable } from 'svc/sdk/skills'

const MAX_NAME = 64
const MAX_DESCRIPTION = 1024
/** Characters of further entries of `metadata.svc`, as JSON. */
const MAX_METADATA = 16_000
/** Characters of SKILL.md. */
export const MAX_SKILL_CHARS = 100_000
const PLATFORMS: Readonly<Record<string, 'macos' | 'linux' | 'windows'>> = {
  ...{ macos: 'macos', darwin: 'macos', osx: 'macos' },
  ...{ linux: 'linux', windows: 'windows', win32: 'windows' },
}

const ENVIRONMENTS = ['kanban', 'docker', 's6'] as const

/** A SKILL.md that can be used. */
export interface ParsedSkill {
  readonly header: SkillHeader
  readonly body: string
  readonly warnings: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

/** Throws `SKILL_INVALID`. `folderName` is the name where the front matter has none. */
export async function parseSkill(text: string, folderName: string): Promise<ParsedSkill> {
  if (text.length > MAX_SKILL_CHARS)
    throw invalid(`SKILL.md has ${text.length} characters; the most is ${MAX_SKILL_CHARS}. Move parts to other files`)
  const [, front, body = ''] = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text) ?? []
  if (front === undefined)
    throw invalid('SKILL.md must begin with front matter: a line of three hyphens, YAML, and three hyphens again')
  const fields = await parseFront(front)
  const warnings: string[] = []
  const header = { ...readTexts(fields, folderName, warnings), ...readNeeds(fields), ...readMore(fields, warnings) }
  return { header, body: body.replace(/^\s*\n/, ''), warnings }
}

async function parseFront(front: string): Promise<Fields> {
  const { parse } = await import('yaml')
  let value: unknown
  try {
    value = parse(front, { maxAliasCount: 50 })
  } catch (error) {
    throw invalid(`the front matter of SKILL.md is not YAML: ${safeLine(errorMessage(error)).slice(0, 200)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('the front matter of SKILL.md must hold keys and values, such as "name: release-notes"')
  return value as Fields
}

function readTexts(fields: Fields, folderName: string, warnings: string[]) {
  const given = text(fields['name'])
  const name = toSlug(given ?? folderName)
  if (name === '' || name.length > MAX_NAME)
    throw invalid(`the name must have 1 to ${MAX_NAME} lower-case letters, digits and hyphens`)
  if (given === undefined) warnings.push(`SKILL.md has no name; the folder is called ${folderName}`)
  else if (given !== name) warnings.push(`the name "${safeLine(given)}" is read as ${name}`)
  else if (name !== folderName) warnings.push(`the folder is called ${folderName}, the skill ${name}`)
  const description = line(fields['description'])
  if (!description) throw invalid('SKILL.md has no description; it must say what the skill does and when to use it')
  if (description.length > MAX_DESCRIPTION)
    throw invalid(`the description has ${description.length} characters; the most is ${MAX_DESCRIPTION}`)
  if (hasHiddenText(description)) throw invalid('the description has characters that cannot be seen')
  return { name, description, ...optionalTexts(fields) }
}

function optionalTexts(fields: Fields) {
  const all = ['version', 'license', 'compatibility'] as const
  return Object.fromEntries(
    all.flatMap((key) => {
      const value = line(fields[key])
      return value ? [[key, value.slice(0, 500)]] : []
    }),
  ) as { readonly [Key in (typeof all)[number]]?: string }
}

function readNeeds(fields: Fields) {
  const metadata = record(fields['metadata'])
  const own = record(metadata['svc'])
  const needs = record(fields['prerequisites'])
  return {
    tags: texts(own['tags'] ?? metadata['tags'] ?? fields['tags']),
    relatedSkills: texts(own['related_skills'] ?? fields['related_skills']),
    conditions: readConditions(fields, own),
    variables: readVariables(fields, needs),
    commands: texts(needs['commands']),
    credentialFiles: readFiles(fields['required_credential_files']),
    settings: readConfigKeys(own['config']),
  }
}

/** Entries of `metadata.svc` that this file reads into other fields. */
const READ_ENTRIES = [
  ...['tags', 'related_skills', 'config', 'requires_toolsets', 'requires_tools'],
  ...['fallback_for_toolsets', 'fallback_for_tools'],
]

function readMore(fields: Fields, warnings: string[]): Pick<SkillHeader, 'metadata'> {
  const all = Object.entries(record(record(fields['metadata'])['svc']))
  const more = all.filter(([key, value]) => !READ_ENTRIES.includes(key) && value !== undefined)
  if (more.length === 0) return {}
  const text = writeJson(Object.fromEntries(more))
  if (text !== undefined && text.length <= MAX_METADATA) return { metadata: JSON.parse(text) as Fields }
  warnings.push(`further entries of metadata.svc are not read: they are not plain data of ${MAX_METADATA} characters`)
  return {}
}

/** Undefined for a value that contains itself, which YAML can write. */
function writeJson(value: object): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function readConditions(fields: Fields, own: Fields): SkillConditions {
  const given = texts(fields['platforms'])
  const lists = {
    requiresToolsets: texts(own['requires_toolsets']),
    requiresTools: texts(own['requires_tools']),
    fallbackForToolsets: texts(own['fallback_for_toolsets']),
    fallbackForTools: texts(own['fallback_for_tools']),
  }
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0)
  const platforms = given.flatMap((name) => PLATFORMS[name.toLowerCase()] ?? [])
  const places = texts(fields['environments'])
  const environments = ENVIRONMENTS.filter((name) => places.some((place) => place.toLowerCase() === name))
  return {
    ...Object.fromEntries(filled),
    ...(given.length > 0 && { platforms }),
    ...(places.length > 0 && { environments }),
  }
}

function readVariables(fields: Fields, needs: Fields): readonly SkillVariable[] {
  const setup = record(fields['setup'])
  const plain = texts(needs['env_vars']).map((name) => ({ name }))
  const entries = [...list(fields['required_environment_variables']), ...list(setup['collect_secrets']), ...plain]
  const found = new Map<string, SkillVariable>()
  for (const entry of entries) {
    const each = typeof entry === 'string' ? { name: entry } : record(entry)
    const name = text(each['name'] ?? each['env_var']) ?? ''
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || found.has(name)) continue
    const prompt = line(each['prompt'])
    const help = line(each['help'] ?? each['provider_url'])
    found.set(name, {
      name,
      ...(prompt && { prompt }),
      ...(help && { help }),
      ...(each['optional'] === true && { optional: true }),
    })
  }
  return [...found.values()]
}

/** Paths, or entries with a `path`. */
function readFiles(value: unknown): readonly string[] {
  const paths = list(value).flatMap((entry) => line(typeof entry === 'string' ? entry : record(entry)['path']) || [])
  return [...new Set(paths)]
}

function readConfigKeys(value: unknown): readonly SkillConfigKey[] {
  return list(value).flatMap((entry) => {
    const { key, description, default: standard } = record(entry)
    const name = text(key)
    if (name === undefined) return []
    const plain = typeof standard === 'object' ? undefined : text(standard)
    return [{ key: name, description: line(description) ?? '', ...(plain !== undefined && { default: plain }) }]
  })
}

/** Lower-case letters, digits and single hyphens: `PDF tools` is `pdf-tools`. */
export function toSlug(name: string): string {
  const plain = name.toLowerCase().replace(/[\s_-]+/g, '-')
  return plain
    .replace(/[^a-z0-9-]/g, '')
    .replace(/-+/g, '-')
    .replace(/^-|-$/g, '')
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' ? value.trim() : undefined
}

function line(value: unknown): string | undefined {
  const given = text(value)
  return given === undefined ? undefined : given.replace(/\s+/g, ' ').trim()
}

function record(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function texts(value: unknown): readonly string[] {
  const parts = typeof value === 'string' ? value.split(',') : list(value)
  return [...new Set(parts.flatMap((part) => line(part) || []))]
}

export function invalid(reason: string): SvcError {
  return new SvcError('SKILL_INVALID', `This is not a skill that can be used: ${escapeUnseen(reason)}.`)
}
