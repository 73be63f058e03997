/**
 * What is remembered, for the dashboard: the entries of both files, changes by the person they are about, and the place they are stored.
 * The files of this plugin are the only place; the routes take its name where others would be chosen.
 */
import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { type PluginContext, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { type ConfigEdit, ConfigFile } from 'svc/sdk/host'
import { requireService } from 'svc/sdk/kit/net'
import { z } from 'zod'
import { type Config, config } from './config.ts'
import { countCharacters, parseEntries } from './entries.ts'
import { changeEntries, memoryFile, readMemory } from './memory-file.ts'
import { change, findEntry, requireEntry } from './personal-changes.ts'
import { formatEntry, parseEntry } from './provenance.ts'
import type { MemoryDeps, Target } from './tools.ts'

type Context = PluginContext<Config>

const PROVIDER = 'files'
const TARGETS: readonly Target[] = ['memory', 'user']
const targetSchema = z.enum(['memory', 'user'])
const entrySchema = z.object({
  target: targetSchema,
  index: z.number().meta({ description: 'From 0, in its file.' }),
  content: z.string(),
  origin: z.string().nullable().meta({ description: 'Where it came from, when the agent had read something foreign.' }),
  confirmed: z.boolean().meta({ description: 'One that is not is not told to the agent.' }),
})
const fileSchema = z.object({
  target: targetSchema,
  file: z.string(),
  bytes: z.number(),
  characters: z.number(),
  limit: z.number(),
})
const memorySchema = z.object({
  active: z.string(),
  providers: z.array(
    z.object({
      ...{ name: z.string(), description: z.string(), available: z.boolean(), configured: z.boolean() },
      status: z.enum(['active', 'available']),
      setup: z.array(z.string()),
    }),
  ),
  builtin_files: z.array(fileSchema),
  entries: z.array(entrySchema),
})
const settingsSchema = z.object({
  name: z.string(),
  label: z.string(),
  fields: z.array(z.object({ key: z.string(), type: z.literal('number'), description: z.string(), value: z.number() })),
  setup: z.array(z.string()),
})
const changeSchema = z.strictObject({
  target: targetSchema,
  content: z.string().meta({ description: 'The entry as it is; it is not changed when it is another one by now.' }),
})
const text = z.string().trim().min(1).max(100_000)

/** Routes of the dashboard about memories. */
export function memoryRoutes(ctx: Context, deps: MemoryDeps): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/memory',
      summary: 'What the agent remembers, with secrets masked, and where it is stored',
      response: memorySchema,
      handle: () => describe(deps),
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/memory/provider',
      summary: 'Chooses where memories are stored; the files of the home are the only place',
      body: z.strictObject({ provider: z.string().min(1).max(100) }),
      response: z.object({ ok: z.literal(true), active: z.string() }),
      handle({ body: { provider } }) {
        requireProvider(provider, 400)
        return { ok: true as const, active: PROVIDER }
      },
    }),
    ...entryRoutes(deps),
    resetRoute(deps),
    ...settingRoutes(ctx, deps.folder),
  ]
}

function entryRoutes(deps: MemoryDeps): readonly DashboardRoute[] {
  const done = z.object({ ok: z.literal(true) })
  return [
    defineDashboardRoute({
      method: 'POST',
      path: '/api/memory/entries',
      summary: 'Remembers something, as the person says it',
      body: z.strictObject({ target: targetSchema, content: text }),
      response: done,
      handle({ body: { target, content } }) {
        change(deps, target, (old) => [...old, requireEntry(content)])
        return { ok: true as const }
      },
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/memory/entries',
      summary: 'Replaces an entry, or confirms one that came from something foreign',
      body: z.strictObject({
        ...changeSchema.shape,
        replacement: text.optional(),
        confirmed: z.literal(true).optional(),
      }),
      response: done,
      handle({ body: { target, content, replacement, confirmed } }) {
        change(deps, target, (old) => {
          const at = findEntry(deps, old, content)
          const before = parseEntry(old[at] ?? '')
          const isConfirmed = before.isConfirmed || confirmed === true
          const next = replacement === undefined ? before.content : requireEntry(replacement)
          // What a person wrote is the person's own.
          const after = replacement === undefined ? formatEntry({ ...before, isConfirmed }) : next
          return old.map((entry, index) => (index === at ? after : entry))
        })
        return { ok: true as const }
      },
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/memory/entries',
      summary: 'Forgets an entry',
      body: changeSchema,
      response: done,
      handle({ body: { target, content } }) {
        change(deps, target, (old) => old.filter((_, index) => index !== findEntry(deps, old, content)))
        return { ok: true as const }
      },
    }),
  ]
}

function resetRoute(deps: MemoryDeps): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/memory/reset',
    summary: 'Forgets all of one file or both; each is kept next to it, as .bak, until the next reset',
    body: z.strictObject({ target: z.enum(['all', 'memory', 'user']), confirm: z.literal(true) }),
    response: z.object({ ok: z.literal(true), removed: z.number(), backups: z.array(z.string()) }),
    handle({ body: { target } }) {
      let removed = 0
      const backups: string[] = []
      for (const one of TARGETS.filter((each) => target === 'all' || each === target))
        changeEntries(deps, one, (old) => {
          const file = memoryFile(deps, one)
          if (old.length === 0 || !existsSync(file)) return old
          copyFileSync(file, `${file}.bak`)
          backups.push(`${file}.bak`)
          removed += old.length
          return []
        })
      return { ok: true as const, removed, backups }
    },
  })
}

function settingRoutes(ctx: Context, folder: MemoryDeps['folder']): readonly DashboardRoute[] {
  const path = '/api/memory/providers/:name/config'
  return [
    defineDashboardRoute({
      ...{ method: 'GET' as const, path, summary: 'The settings of a place for memories' },
      response: settingsSchema,
      handle({ params }) {
        requireProvider(params['name'] ?? '', 404)
        return describeSettings(ctx.config)
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/memory/providers/:name/setup',
      summary: 'Prepares a place for memories; that of files is a folder of the home and needs no answers',
      body: z.strictObject({}),
      response: z.object({ ok: z.literal(true), name: z.string(), setup: z.array(z.string()) }),
      handle({ params }) {
        requireProvider(params['name'] ?? '', 404)
        mkdirSync(folder(), { recursive: true, mode: 0o700 })
        return { ok: true as const, name: PROVIDER, setup: [] }
      },
    }),
    defineDashboardRoute({
      ...{ method: 'PUT' as const, path, summary: 'Changes settings of a place for memories' },
      body: z.strictObject({ values: config.partial().strict() }),
      response: settingsSchema,
      async handle({ params, body: { values } }) {
        requireProvider(params['name'] ?? '', 404)
        const file = requireService(ctx.find(ConfigFile), ConfigFile.id)
        const given = Object.entries(values).filter(([, value]) => value !== undefined)
        const edits: ConfigEdit[] = given.map(([key, value]) => ({ path: `memory.${key}`, value }))
        if (edits.length > 0) await file.write(edits, { author: 'dashboard', reason: 'settings of memories' })
        return describeSettings({ ...ctx.config, ...(Object.fromEntries(given) as Partial<Config>) })
      },
    }),
  ]
}

function describe(deps: MemoryDeps): z.infer<typeof memorySchema> {
  const files = TARGETS.map((target) => ({ target, file: memoryFile(deps, target) }))
  const read = files.map(({ target, file }) => ({ target, file, entries: parseEntries(readMemory(file)) }))
  return {
    active: PROVIDER,
    providers: [
      {
        ...{ name: PROVIDER, description: 'MEMORY.md and USER.md in the home', available: true, configured: true },
        ...{ status: 'active', setup: [] },
      },
    ],
    builtin_files: read.map(({ target, file, entries }) => ({
      ...{ target, file, bytes: statSync(file, { throwIfNoEntry: false })?.size ?? 0 },
      ...{ characters: countCharacters(entries), limit: deps.limits[target] },
    })),
    entries: read.flatMap(({ target, entries }) =>
      entries.map((entry, index) => {
        const { content, origin, isConfirmed } = parseEntry(entry)
        return { target, index, content: deps.mask(content), origin: origin ?? null, confirmed: isConfirmed }
      }),
    ),
  }
}

function describeSettings(values: Config): z.infer<typeof settingsSchema> {
  const keys = Object.keys(config.shape) as (keyof Config)[]
  return {
    ...{ name: PROVIDER, label: 'Files of the home', setup: [] },
    fields: keys.map((key) => ({
      ...{ key, type: 'number' as const, value: values[key] },
      description: config.shape[key].meta()?.description ?? '',
    })),
  }
}

/** Throws `MEMORY_PROVIDER`. */
function requireProvider(name: string, status: number): void {
  if (name === PROVIDER) return
  const message = `Nothing called ${JSON.stringify(name.slice(0, 40))} stores memories. There is: ${PROVIDER}.`
  throw new SvcError('MEMORY_PROVIDER', message, { status })
}
