import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listServices, listWanted } from 'svc/sdk/host'
import { afterAll, expect, test, vi } from 'vitest'
import { kernelOwner } from '../../kernel/owner.ts'
import { manifestProblem, sdkProblem } from '../../loader/manifest.ts'
import { boot } from '../../program/boot.ts'
import { openSvc } from '../../program/library.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { findManifest, manifests, pluginFolder, pluginNames, sourcesBelow } from '../support/repository.ts'
import { calledName, findCalls, getArguments, getName, literal, type Node, source, walk } from '../support/syntax.ts'
import { services } from '../support/tokens.ts'

const home = mkdtempSync(join(tmpdir(), 'svc-manifests-'))
afterAll(() => removeFolder(home))

/** A kernel that follows timers, sockets and child processes, with one plugin and what it requires. */
async function bootWith(name: string) {
  const config = { plugins: { enabled: [name] } }
  const booted = await boot({ env: {}, cwd: home, home: join(home, name), config, audit: true, open: openSvc })
  await booted.kernel.load([name])
  return booted
}

const given = await (async () => {
  const { kernel, stop } = await boot({ env: {}, cwd: home, home: join(home, 'empty'), open: openSvc })
  const ids = kernel.services.ownedBy(kernelOwner)
  await stop()
  return ids
})()

test.for(pluginNames())('%s registers exactly what its plugin.json says, and nothing of it stays', async (name) => {
  const { kernel, stop } = await bootWith(name)
  try {
    expect({ status: kernel.plugins.info(name)?.status, reason: kernel.plugins.info(name)?.reason }).toEqual({
      status: 'started',
    })
    const host = kernel.generations.live(name)
    if (!host) throw new Error(`${name} is started but has no host`)
    const { provides = [], contributes = {}, aliases = {}, cli = [] } = host.found.manifest
    const { cli: commands = [], ...points } = kernel.points.ownedBy(host.owner)
    expect({
      provides: [...kernel.services.ownedBy(host.owner)].sort(),
      contributes: sorted(points),
      aliases: withoutEmpty(sorted(kernel.points.aliasesBy(host.owner))),
      cli: [...commands].sort(),
    }).toEqual({
      provides: [...provides].sort(),
      contributes: sorted(contributes),
      aliases: sorted(aliases),
      cli: cli.map((entry) => entry.name).sort(),
    })
    await kernel.disable(name)
    await vi.waitFor(() => expect(host.holdings()).toEqual({}))
    expect(kernel.services.ownedBy(host.owner)).toEqual([])
    expect(kernel.points.ownedBy(host.owner)).toEqual({})
    expect(kernel.plugins.problems()).toEqual([])
  } finally {
    await stop()
  }
})

function withoutEmpty(lists: Readonly<Record<string, string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
}

function sorted(lists: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(lists).map(([key, list]) => [key, [...list].sort()]))
}

test.for(pluginNames())('the plugin.json of %s is valid, fits the sdk and names its folder', async (name) => {
  const manifest = findManifest(name)
  expect(manifestProblem(manifest)).toBeUndefined()
  expect(manifest && (await sdkProblem(manifest))).toBeUndefined()
  expect(manifest?.name).toBe(name)
  expect(manifest?.description).toMatch(/^[A-Z].{15,}\.$/)
  for (const entry of [...(manifest?.cli ?? []), ...(manifest?.env ?? [])]) expect(entry.description).toMatch(/.{10,}/)
})

test.for(pluginNames())('the services that %s uses are those its plugin.json names', (name) => {
  const manifest = findManifest(name)
  const { requires = [], brings = [], provides = [] } = manifest ?? {}
  const files = sourcesBelow(pluginFolder(name)).filter((file) => !file.includes('/templates/'))
  const used = new Set(files.flatMap(usedServices))
  const declared = [...requires, ...listWanted(manifest ?? {}), ...listServices(manifest?.uses), ...brings]
  const undeclared = [...used].filter((id) => ![...declared, ...provides, ...given].includes(id))
  expect({ undeclared, unused: declared.filter((id) => !used.has(id)) }).toEqual({ undeclared: [], unused: [] })
})

const tokenIds = new Map(services().map(({ name, token }) => [name, token.id]))
const lookUps = sdkLookUps()

/** Ids of the services whose token is handed to `use` or `find`, here or by functions of the sdk that are called here. */
function usedServices(file: string): string[] {
  return [
    ...directServices(source(file)),
    ...findCalls(source(file), [...lookUps.keys()]).flatMap((call) => [...(lookUps.get(calledName(call) ?? '') ?? [])]),
  ]
}

function directServices(part: { readonly tree: Node }): string[] {
  const tokens = [
    ...findCalls(part, ['use', 'find', 'bring']).map((call) => getArguments(call)[0]),
    ...findCalls(part, ['whileProvided']).map((call) => getArguments(call)[1]),
  ]
  return tokens.flatMap((token) => tokenIds.get(getName(token) ?? '') ?? [])
}

/** Functions of the sdk with the services that they look up for their caller, by themselves or by what they call. */
function sdkLookUps(): Map<string, Set<string>> {
  const functions = new Map(
    sourcesBelow('sdk')
      .filter((file) => !file.includes('testing'))
      .flatMap((file) => [...walk(source(file).tree)])
      .flatMap(({ node }) => (node.type === 'FunctionDeclaration' ? [[getName(node['id']) ?? '', node] as const] : [])),
  )
  const found = new Map([...functions].map(([name, tree]) => [name, new Set(directServices({ tree }))]))
  for (let before = -1, sum = 0; sum > before; ) {
    before = sum
    for (const [name, tree] of functions)
      for (const call of findCalls({ tree }, [...functions.keys()]))
        for (const id of found.get(calledName(call) ?? '') ?? []) found.get(name)?.add(id)
    sum = [...found.values()].reduce((count, ids) => count + ids.size, 0)
  }
  return found
}

test.for(pluginNames())('the environment variables that %s reads are those its plugin.json names', (name) => {
  const declared = (findManifest(name)?.env ?? []).map((entry) => entry.name)
  const files = sourcesBelow(pluginFolder(name))
  const read = files
    .flatMap((file) => findCalls(source(file), ['get', 'source']))
    .map((call) => literal(getArguments(call)[0]))
  const texts = files.flatMap((file) => [...walk(source(file).tree)].map(({ node }) => literal(node)))
  const undeclared = read.filter(
    (text) => /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(text ?? '') && !declared.includes(text ?? ''),
  )
  expect({ undeclared, unread: declared.filter((each) => !texts.includes(each)) }).toEqual({
    undeclared: [],
    unread: [],
  })
})

test('a plugin with slash commands is loaded where people type them', () => {
  const alone = manifests().filter(
    ({ contributes, with: along, provides = [] }) =>
      contributes?.['slash-commands'] !== undefined && along === undefined && provides.length === 0,
  )
  // `tui` is a front end itself, and `browser` comes with its tool.
  expect(alone.map(({ name }) => name).filter((name) => name !== 'tui' && name !== 'browser')).toEqual([])
})
