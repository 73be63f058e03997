/** Half of the blocks of config.yaml, the others on the next day, are edited while a screen, a chat and a stream of the API are open, and then each of them is used. */
import { Config, type Schema } from 'svc/sdk'
import { type Manifest, Plugins } from 'svc/sdk/host'
import type { TestKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { isToday } from '../support/today.ts'
import { lostBy, openLiving } from './living.ts'

const ALL_MS = 600_000
const MAX_LOST = 5

test('an edit of any block of config.yaml loses nothing that is open', { timeout: ALL_MS }, async () => {
  const living = await openLiving()
  const plugins = living.kernel.use(Plugins)
  await Promise.all([living.chat(), living.screen()])
  const lost: string[] = []
  for (const { name, path, key, value } of (await edits(living.kernel)).filter((_, at) => isToday(at, 8))) {
    if (lost.length >= MAX_LOST) break
    const before = plugins.info(name)?.generation ?? 0
    lost.push(...(await lostBy(living, `${path}.${key}`, () => living.edit([...path.split('.'), key], value))))
    expect(plugins.info(name)?.generation, `${name} follows its block`).toBeGreaterThan(before)
  }
  expect(lost).toEqual([])
  expect(living.kernel.problems()).toEqual([])
})

interface Edit {
  readonly key: string
  readonly value: unknown
}

/** Blocks whose keys are neither numbers nor switches by default. */
const byHand: Readonly<Record<string, Edit>> = {
  budget: { key: 'session', value: { usd: 1000 } },
  credential_pool_strategies: { key: 'openai', value: 'round_robin' },
  mcp_servers: { key: 'files', value: { command: 'true' } },
  moa: { key: 'default_preset', value: 'other' },
  model: { key: 'base_url', value: 'http://127.0.0.1:9/v1' },
  personality: { key: 'custom', value: { terse: 'Say little.' } },
  prompt_caching: { key: 'cache_ttl', value: '1h' },
  providers: { key: 'mine', value: { base_url: 'http://127.0.0.1:9/v1' } },
  sessions: { key: 'retention_days', value: 4000 },
  tools: { key: 'disabled', value: ['tool-image'] },
}

/** Its only key names another server, which would have to be there. */
const APART = ['caches']

/** One for each block that a plugin which runs has. */
async function edits(
  kernel: TestKernel,
): Promise<readonly (Edit & { readonly name: string; readonly path: string })[]> {
  const plugins = kernel.use(Plugins)
  const isOwner = ({ config }: Manifest) => config !== undefined && !APART.includes(config)
  const owners = plugins.list().filter(({ generation, manifest }) => generation > 0 && isOwner(manifest))
  return Promise.all(
    owners.map(async ({ manifest: { name, config: path = '' } }) => {
      const { config } = await plugins.module(name)
      const edit = byHand[path] ?? (config && (await anotherValue(config, kernel.use(Config).get(path) ?? {})))
      if (!edit) throw new Error(`Name a key of the block ${path}, and another value for it.`)
      return { name, path, ...edit }
    }),
  )
}

async function anotherValue(schema: Schema<unknown>, block: object): Promise<Edit | undefined> {
  const values = Object.entries((await valid(schema, block)) ?? {})
  const numbers = values.flatMap(([key, value]) =>
    typeof value === 'number' ? [value + 1, value - 1].map((other) => ({ key, value: other })) : [],
  )
  const switches = values.flatMap(([key, value]) => (typeof value === 'boolean' ? [{ key, value: !value }] : []))
  for (const edit of [...numbers, ...switches])
    if (await valid(schema, { ...block, [edit.key]: edit.value })) return edit
  return undefined
}

async function valid(schema: Schema<unknown>, value: unknown): Promise<object | undefined> {
  const result = await schema['~standard'].validate(value)
  return result.issues ? undefined : (result.value as object)
}
