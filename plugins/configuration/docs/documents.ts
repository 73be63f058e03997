/** The documents there are: guides of svc, and the README of each plugin. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { type PluginContext, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'

/** A document in a list. */
export interface DocumentEntry {
  readonly name: string
  readonly description: string
  /** `guide`, or the kind of the plugin. */
  readonly kind: string
}

/** Markdown, without its title. */
export interface Document extends DocumentEntry {
  readonly text: string
}

interface DocumentFile extends DocumentEntry {
  readonly file: string
  /** Links are not followed out of this folder. */
  readonly folder: string
}

const MAX_BYTES = 2 * 2 ** 20
const GUIDES = [
  ['svc', 'README.md', 'The first steps, everyday commands, and what you can rely on'],
  ['changelog', 'CHANGELOG.md', 'What changed in each version'],
  ['contributing', 'CONTRIBUTING.md', 'Write a plugin, and words that svc uses'],
  ['cookbook', 'examples/COOKBOOK.md', 'Recipes for plugins'],
  ['sdk', 'sdk/README.md', 'Hooks, services, points and error codes'],
] as const

/** Guides first, then plugins by name. */
export function listDocuments(ctx: PluginContext<undefined>): readonly DocumentEntry[] {
  return listFiles(ctx).map(({ name, description, kind }) => ({ name, description, kind }))
}

/** Throws `DOCS_UNKNOWN`. */
export function readDocument(ctx: PluginContext<undefined>, wanted: string): Document {
  const files = listFiles(ctx)
  const found = files.find(({ name }) => name === wanted)
  if (!found) {
    const similar = files.filter(({ name }) => name.includes(wanted)).map(({ name }) => name)
    const hint = similar.length === 0 ? '' : ` Similar: ${similar.slice(0, 5).join(', ')}.`
    const message = `There is no documentation of "${wanted}".${hint} List all: svc docs`
    throw new SvcError('DOCS_UNKNOWN', message, { status: 404 })
  }
  const { name, description, kind, file } = found
  return { name, description, kind, text: toText(readFileSync(file, 'utf8')) }
}

function listFiles(ctx: PluginContext<undefined>): readonly DocumentFile[] {
  const plugins = ctx.use(Plugins)
  // As deep in the package as in the repository.
  const root = join(plugins.info(ctx.name)?.dir ?? '', '..', '..', '..')
  const guides = GUIDES.map(([name, path, description]) => ({
    ...{ name, description, kind: 'guide' },
    ...{ file: join(root, path), folder: root },
  }))
  const readmes = plugins.list().map(({ manifest: { name, description, kind }, dir }) => ({
    ...{ name, description, kind },
    ...{ file: join(dir, 'README.md'), folder: dir },
  }))
  readmes.sort((one, two) => (one.name < two.name ? -1 : 1))
  return [...guides, ...readmes].filter(isReadable)
}

function isReadable({ file, folder }: DocumentFile): boolean {
  if (!existsSync(file)) return false
  const isInside = realpathSync(file).startsWith(realpathSync(folder) + sep)
  return isInside && statSync(file).isFile() && statSync(file).size <= MAX_BYTES
}

/** Code, comments, and links and pictures of files; the text of a link may have code in it. */
const PARTS =
  /^ *```[\s\S]*?^ *```$|`[^`\n]+`|(\n*<!--[\s\S]*?-->\n*)|(!?)\[((?:`[^`\n]*`|[^\]`])*)\]\((?!https?:)[^)\s]*\)/gm

/** Without the title, which is shown already, comments for generators, and links to files that are not shown. Code stays as it is. */
function toText(text: string): string {
  return text
    .replace(/^# .*\n+/, '')
    .replaceAll(PARTS, (part, comment?: string, picture?: string, words?: string) => {
      if (comment !== undefined) return '\n\n'
      if (words === undefined) return part
      return picture ? '' : words
    })
    .trim()
}
