/** Backups of the home: made, checked and given to a browser. A restore ends what runs in the home, so it is made in a terminal. */
import { dirname, resolve } from 'node:path'
import { type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { requireService } from 'svc/sdk/kit/net'
import { BACKUP_VARIABLES, Backups, type StoredBackup } from 'svc/sdk/operations'
import { z } from 'zod'
import { beginCommand, begunSchema, profileQuery } from './action-routes.ts'
import type { Actions } from './actions.ts'
import { sendStoredFile } from './stored-file.ts'

type Context = PluginContext<undefined>

/** One that is shorter is refused by the command. */
export const passphraseField = z.string().min(1).max(1000).optional()
const PLAIN_NAME = /^svc-[A-Za-z0-9._-]{1,100}$/
const backupSchema = z.object({
  name: z.string(),
  archive: z.string().meta({ description: 'Its path on the machine of the dashboard.' }),
  bytes: z.number(),
  created_at: z.number(),
  encrypted: z.boolean(),
})
export const archiveField = z.string().min(1).max(4096)

export const bringBackups = async (ctx: Context) => requireService(await ctx.use(Plugins).bring(Backups), Backups.id)

/** A backup by its name or path. Throws `DASHBOARD_BACKUP_PLACE` for one elsewhere, `DASHBOARD_STORED_FILE` for one that is not there. */
export async function findBackup(ctx: Context, archive: string): Promise<StoredBackup> {
  const backups = await bringBackups(ctx)
  const folder = dirname(backups.propose())
  const file = resolve(folder, archive)
  if (dirname(file) !== folder)
    throw new SvcError('DASHBOARD_BACKUP_PLACE', `Only files of ${folder} are used here. Move the file there.`, {
      status: 403,
    })
  const found = (await backups.list()).find((each) => each.file === file)
  if (found) return found
  throw new SvcError('DASHBOARD_STORED_FILE', `There is no such backup in ${folder}.`, { status: 404 })
}

/** The environment of a command that needs a passphrase, which is masked in all it says. */
export function givePassphrase(
  ctx: Context,
  passphrase: string | undefined,
  kind: keyof typeof BACKUP_VARIABLES = 'backup',
) {
  if (passphrase === undefined) return {}
  ctx.use(Secrets).protect(passphrase)
  return { environment: { [BACKUP_VARIABLES[kind]]: passphrase } }
}

export function backupRoutes(ctx: Context, actions: Actions): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/ops/backups',
      summary: 'The backups in the folder of backups, the newest first',
      response: z.object({ folder: z.string(), backups: z.array(backupSchema) }),
      async handle() {
        const backups = await bringBackups(ctx)
        const found = await backups.list()
        return { folder: dirname(backups.propose()), backups: found.map(toBackup) }
      },
    }),
    createRoute(ctx, actions),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/ops/backup/verify',
      summary:
        'Reads all of a backup and compares it with its hashes; GET /api/actions/backup-verify/status follows it',
      body: z.strictObject({ archive: archiveField, passphrase: passphraseField }),
      response: begunSchema,
      async handle({ body: { archive, passphrase } }) {
        const { file } = await findBackup(ctx, archive)
        const words = ['backup', 'verify', file]
        return beginCommand(ctx, actions, { name: 'backup-verify', words, ...givePassphrase(ctx, passphrase) })
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/ops/backup/download',
      summary: 'A backup as a download; it holds keys and conversations',
      isDownload: true,
      query: z.object({ archive: archiveField }),
      handle: async ({ query: { archive } }) => sendStoredFile((await findBackup(ctx, archive)).file),
    }),
  ]
}

function createRoute(ctx: Context, actions: Actions): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/ops/backup',
    summary: 'Makes a backup in the folder of backups; GET /api/actions/backup/status follows it',
    query: profileQuery,
    body: z.strictObject({
      output: z
        .string()
        .regex(PLAIN_NAME)
        .optional()
        .meta({ description: 'A name in the folder of backups: `svc-…`.' }),
      passphrase: passphraseField.meta({ description: 'Encrypts it.' }),
    }),
    response: z.object({ ...begunSchema.shape, archive: z.string() }),
    async handle({ query: { profile }, body: { output, passphrase } }) {
      const backups = await bringBackups(ctx)
      const isEncrypted = passphrase !== undefined
      // `default` is the whole home.
      const named = profile !== undefined && profile !== 'default' ? { profile } : {}
      const proposed = backups.propose({ isEncrypted, ...named })
      const ending = `.tar.gz${isEncrypted ? '.age' : ''}`
      const name = output?.replace(/\.tar\.gz(\.age)?$/, '')
      const archive = name === undefined ? proposed : resolve(dirname(proposed), `${name}${ending}`)
      const words = ['backup', 'create', '--output', archive, ...(isEncrypted ? ['--encrypt'] : [])]
      const begun = beginCommand(ctx, actions, { name: 'backup', words, profile, ...givePassphrase(ctx, passphrase) })
      return { ...begun, archive }
    },
  })
}

function toBackup({ name, file, bytes, createdAt, isEncrypted }: StoredBackup): z.infer<typeof backupSchema> {
  return { ...{ name, bytes }, archive: file, created_at: createdAt, encrypted: isEncrypted }
}
