/** The files of a plugin that a migration reads and writes. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import type { SdkNames, SdkRename } from 'svc/sdk/safety'
import { type Remainder, rewrite } from './rewrite.ts'
import { createNames } from './targets.ts'

const SOURCES = /\.([mc]?[tj]s|[tj]sx)$/
const DOCUMENTS = /\.md$/
const MAX_FILES = 2000
const MAX_BYTES = 2 ** 20

/** A file that would be changed. */
export interface FileChange {
  /** Below the folder of the plugin. */
  readonly file: string
  readonly before: string
  readonly after: string
}

/** What a person has to do, and where. */
export interface FileRemainder extends Remainder {
  readonly file: string
}

/** An old name that a plugin uses, and where it is first used. */
export interface OldName extends SdkRename {
  readonly file: string
  readonly line: number
}

export interface Migration {
  readonly changes: readonly FileChange[]
  readonly used: readonly OldName[]
  readonly left: readonly FileRemainder[]
}

/** What has to change in a plugin folder for the running SDK. Writes nothing. */
export async function planMigration(dir: string, sdk: SdkNames): Promise<Migration> {
  const names = createNames(sdk)
  const changes: FileChange[] = []
  const used = new Map<string, OldName>()
  const left: FileRemainder[] = []
  for (const file of listFiles(dir, SOURCES)) {
    const before = readFileSync(join(dir, file), 'utf8')
    try {
      const result = await rewrite(file, before, names)
      if (result.text !== before) changes.push({ file, before, after: result.text })
      for (const { rename, line } of result.used)
        if (!used.has(rename.code)) used.set(rename.code, { ...rename, file, line })
      for (const each of result.left) left.push({ file, ...each })
    } catch (error) {
      const { line = 1 } = (error as { readonly loc?: { readonly line?: number } }).loc ?? {}
      left.push({ file, line, text: `it cannot be read as code and was left as it is: ${errorMessage(error)}` })
    }
  }
  changes.push(...changeVersions(dir, sdk))
  left.push(...documentMentions(dir, sdk))
  const order = (one: OldName, two: OldName) => (one.code < two.code ? -1 : 1)
  return { changes, used: [...used.values()].sort(order), left }
}

/** The old names that the code of a plugin uses. */
export async function findOldNames(dir: string, sdk: SdkNames): Promise<readonly OldName[]> {
  return (await planMigration(dir, sdk)).used
}

/** `sdk` in plugin.json and the range of `svc` in package.json; their layout stays. */
function changeVersions(dir: string, { version }: SdkNames): FileChange[] {
  const range = `^${version}`
  const rules: readonly (readonly [file: string, pattern: RegExp])[] = [
    ['plugin.json', /("sdk"\s*:\s*")([^"]*)(")/],
    ['package.json', /("svc"\s*:\s*")([\^~>=<\d][^"]*)(")/g],
  ]
  return rules.flatMap(([file, pattern]) => {
    const path = join(dir, file)
    if (!existsSync(path)) return []
    const before = readFileSync(path, 'utf8')
    const after = before.replace(pattern, `$1${range}$3`)
    return after === before ? [] : [{ file, before, after }]
  })
}

/** Documents are for a person to change: a name in a sentence may mean something else. */
function documentMentions(dir: string, { renames }: SdkNames): FileRemainder[] {
  // Of one word, as "Access" is, a name is also an ordinary word.
  const old = renames.filter((each) => each.old !== each.new && /[a-z][A-Z]|_/.test(each.old))
  const byName = new Map(old.map((each) => [each.old, each]))
  return listFiles(dir, DOCUMENTS).flatMap((file) =>
    readFileSync(join(dir, file), 'utf8')
      .split('\n')
      .flatMap((text, at) => {
        const named = new Set(text.match(/\b\w+\b/g)?.filter((word) => byName.has(word)))
        return [...named].map((name) => ({
          file,
          line: at + 1,
          text: `it names ${name}, which is ${byName.get(name)?.new} now`,
        }))
      }),
  )
}

/** Files below the folder, without packages, hidden folders, links and what is too large for a source. */
function listFiles(dir: string, kind: RegExp): string[] {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && kind.test(entry.name))
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((file) => !/(^|\/)(node_modules|\.[^/]+)\//.test(file) && statSync(join(dir, file)).size <= MAX_BYTES)
  if (files.length > MAX_FILES)
    throw new SvcError('PLUGIN_FOLDER', `${dir} has over ${MAX_FILES} source files; name the folder of one plugin.`)
  return files.sort()
}
