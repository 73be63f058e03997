/** The methods of the service for exports: a part of a home in one file, read and put into another home. */
import { Clock, Home, type PluginContext } from 'svc/sdk'
import type { Backups, HomeExportSource } from 'svc/sdk/operations'
import { isEncrypted, type ReadOptions, readArchive, readArchiveHead } from './archive-reader.ts'
import { type CreateDeps, createBackup } from './create.ts'
import { requireKind } from './kind.ts'
import { importInPlace } from './overlay.ts'
import { requireUnused } from './running.ts'

type Exports = Pick<Backups, 'describe' | 'export' | 'readExport' | 'import'>

export function createExports(ctx: PluginContext<undefined>, deps: CreateDeps): Exports {
  const open = async ({ file, passphrase, signal }: HomeExportSource): Promise<ReadOptions> => {
    // Asked for once, also where the file is read twice.
    const known = (await isEncrypted(file)) ? await passphrase() : ''
    return { file, passphrase: async () => known, program: deps.program, signal }
  }
  return {
    async describe(source) {
      const { kind, created, program, profile } = await readArchiveHead(await open(source))
      return {
        ...{ created, program, isEncrypted: await isEncrypted(source.file) },
        kind: kind === 'svc-export' ? 'export' : 'backup',
        ...(profile !== undefined && { profile }),
      }
    },
    export: ({ includes, texts, notes, ...options }) =>
      createBackup(deps, options, { kind: 'svc-export', includes, ...(texts && { texts }), ...(notes && { notes }) }),
    async readExport(source) {
      const options = await open(source)
      const { head, manifest } = await readArchive(options, {
        head: (facts) => requireKind(facts, 'svc-export', source.file),
      })
      const { created, program, profile, notes = [] } = head
      return {
        ...{ created, program, notes, isEncrypted: await isEncrypted(source.file) },
        ...(profile !== undefined && { profile }),
        files: Object.entries(manifest.files).map(([path, { bytes }]) => ({ path, bytes })),
      }
    },
    async import(source) {
      const options = await open(source)
      await requireUnused(ctx)
      const { signal } = source
      const { file: backup } = await createBackup(deps, { signal })
      const before: ReadOptions = { file: backup, passphrase: async () => '', program: deps.program, signal }
      const place = { dir: ctx.use(Home).dir, now: ctx.use(Clock).now() }
      const { includes } = source
      const archives = { backup: before, source: options, kind: 'svc-export' as const }
      const { files, previous } = await importInPlace({ ...archives, includes, ...place })
      return { files, backup, previous }
    },
  }
}
