/** What people and models said, and what is remembered of them: texts that must not leave the machine with a log. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Home, type PluginContext, Sessions } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'

type Context = PluginContext<undefined>

/** A conversation that a log repeats was used since its oldest entry, or a while before. */
const BEFORE_MS = 3_600_000
const MAX_SESSIONS = 100_000
const MAX_FILE_BYTES = 2 ** 20

/** Of conversations that were used since then: questions, answers, titles, inputs and results of tools. */
export async function listSpoken(ctx: Context, since: number): Promise<string[]> {
  if (since === Number.POSITIVE_INFINITY) return []
  const sessions = await ctx.use(Plugins).bring(Sessions)
  if (!sessions) throw new Error('conversations cannot be read: the plugin that stores them does not run')
  const texts: string[] = []
  for (const { id, title } of sessions.list({ usedAfter: Math.max(0, since - BEFORE_MS), limit: MAX_SESSIONS })) {
    if (title !== undefined) texts.push(title)
    for (const { message } of sessions.read(id).messages()) texts.push(...listTexts(message))
  }
  return texts
}

/** Of the files that plugins name as personal in their manifests. */
export function listPersonal(ctx: Context): string[] {
  const { dir } = ctx.use(Home)
  const texts: string[] = []
  const visit = (path: string) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name))
    else if (stats?.isFile() && stats.size <= MAX_FILE_BYTES) texts.push(readFileSync(path, 'utf8'))
  }
  const plugins = ctx.use(Plugins).list()
  for (const name of plugins.flatMap(({ manifest }) => manifest.portable?.personal ?? [])) visit(join(dir, name))
  return texts
}

/** All texts of a message except pictures, and what a provider wants back. */
function listTexts(message: object): string[] {
  const texts: string[] = []
  const visit = (value: unknown, key = '') => {
    if (key === 'images' || key === 'carry') return
    if (typeof value === 'string' && key !== 'role' && key !== 'callId' && key !== 'id' && key !== 'mediaType')
      texts.push(value)
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) visit(item, name)
  }
  visit(message)
  return texts
}
