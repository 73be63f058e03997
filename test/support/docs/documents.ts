/** Every document with generated parts, and what belongs between its markers. */
import { join, posix } from 'node:path'
import { CliCommands, type ExtensionPoint, type Plugin, SlashCommands } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { blockPath } from '../../../home/plugin-settings.ts'
import { kernelOwner } from '../../../kernel/owner.ts'
import { readRenames } from '../../../loader/sdk-facade.ts'
import { boot } from '../../../program/boot.ts'
import { exists, findManifest, manifests, pluginFolder, pluginNames, rooms, root, sourcesBelow } from '../repository.ts'
import { KERNEL_LINES, SIZES } from '../sizes.ts'
import { methodsTable } from './browser-contract.ts'
import { configTable } from './config-keys.ts'
import { code, table } from './markdown.ts'
import { modelTable } from './model-services.ts'
import { mutationsTable } from './mutations-table.ts'
import { catalogue, shellCommandsTable, slashCommandsTable } from './plugin-tables.ts'
import { environmentTable, errorsTable, getFileHeader, hooksTable, pointsTable, servicesTable } from './sdk-tables.ts'

/** A file, and what makes each of its generated parts, by the name of their markers. */
export interface Document {
  readonly path: string
  readonly parts: Readonly<Record<string, () => string | Promise<string>>>
}

export function documents(): Document[] {
  const plugins = pluginNames().map((name) => ({
    path: `${pluginFolder(name)}/README.md`,
    parts: {
      config: () => formatConfig(name),
      ...(['provider-openai', 'provider-anthropic'].includes(name) && { services: () => modelTable(name) }),
      ...(name === 'rpc' && { methods: methodsTable }),
    },
  }))
  return [
    {
      path: 'sdk/README.md',
      parts: {
        hooks: hooksTable,
        services: async () => servicesTable(await givenServices()),
        points: pointsTable,
        errors: errorsTable,
        environment: environmentTable,
      },
    },
    { path: 'sdk/RENAMES.md', parts: { renames: renamesTable } },
    {
      path: 'plugins/README.md',
      parts: {
        catalogue,
        commands: async () => shellCommandsTable(await collectItems(CliCommands)),
        'slash-commands': async () => slashCommandsTable(await collectItems(SlashCommands)),
      },
    },
    ...rooms.map((room) => ({ path: `${room}/README.md`, parts: { files: () => filesTable(room) } })),
    { path: 'CONTRIBUTING.md', parts: { sizes: sizesTable } },
    { path: 'test/README.md', parts: { mutations: mutationsTable } },
    ...plugins,
  ]
}

/** Every file of a room with the first sentence of what it says of itself. */
function filesTable(room: string): string {
  const rows = sourcesBelow(room).map((file) => {
    const [sentence = ''] = /^.*?[.:](?=\s|$)/.exec(getFileHeader(file)) ?? []
    return [`[${code(posix.basename(file))}](${posix.basename(file)})`, sentence.replace(/:$/, '.')]
  })
  return table(['File', 'Is about'], rows)
}

/** What each name of SDK 0.1 is now. */
function renamesTable(): string {
  const rows = readRenames().map(({ code, old, new: name, entry, since, removed }) => {
    return [code, `\`${old}\``, name === old ? 'the same' : `\`${name}\``, `\`${entry}\``, since, removed]
  })
  return table(['Code', 'Old name', 'New name', 'Exported by', 'Since', 'Removed in'], rows)
}

/** The guides and limits of sizes. */
function sizesTable(): string {
  const names: Readonly<Record<keyof typeof SIZES, string>> = {
    file: 'A source file, in lines',
    function: 'A function, in lines',
    index: '`index.ts` of a plugin, in lines',
    document: 'README.md and CONTRIBUTING.md, in lines',
    plugin: 'A plugin, in lines of code',
    files: 'A plugin, in source files',
  }
  const rows = (Object.keys(SIZES) as (keyof typeof SIZES)[]).map((size) => {
    const { guide, limit } = SIZES[size]
    return [names[size], String(guide), String(limit)]
  })
  return table(['What', 'Guide', 'Limit'], [...rows, ['The kernel, in lines of code', '', String(KERNEL_LINES)]])
}

/** Ids of the services that the kernel provides. */
async function givenServices(): Promise<string[]> {
  await using kernel = await testKernel()
  const open = () => Promise.reject(new Error('nothing opens another runtime here'))
  const bare = await boot({ env: {}, cwd: kernel.home, home: kernel.home, open })
  const ids = bare.kernel.services.ownedBy(kernelOwner)
  await bare.stop()
  return ids
}

/** What all built-in plugins together contribute to a point. */
export async function collectItems<T>(point: ExtensionPoint<T>): Promise<readonly T[]> {
  const plugins = manifests().map((manifest) => manifest.name)
  await using kernel = await testKernel({ plugins, config: { plugins: { enabled: plugins } } })
  const broken = kernel.plugins.list().filter((plugin) => plugin.status === 'failed')
  if (broken.length) throw new Error(broken.map(({ manifest, reason }) => `${manifest.name}: ${reason}`).join('\n'))
  return kernel.all(point).all()
}

async function formatConfig(name: string): Promise<string> {
  const manifest = findManifest(name)
  const index = `${pluginFolder(name)}/index.ts`
  if (!manifest || !exists(index)) throw new Error(`${pluginFolder(name)} is not complete`)
  const plugin = ((await import(join(root, index))) as { default: Plugin }).default
  return configTable(blockPath({ manifest, origin: 'built-in' }), plugin.config)
}
