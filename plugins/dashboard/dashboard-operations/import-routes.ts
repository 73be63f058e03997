/**
 * Takes over an export or a backup that is in the folder of backups, or that comes with the request. The home in which this dashboard runs
 * is not exchanged under it: its databases are open. For that one the command is answered, for another profile it is begun.
 */
import { mkdir, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { Home, type PluginContext, Random, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { writeAtomically } from 'svc/sdk/kit/files'
import { quotePath } from 'svc/sdk/kit/terminal'
import { z } from 'zod'
import { beginCommand, profileQuery } from './action-routes.ts'
import type { Actions } from './actions.ts'
import { archiveField, bringBackups, findBackup, givePassphrase, passphraseField } from './backup-routes.ts'
import { findProfile } from './own-command.ts'

type Context = PluginContext<undefined>

export const MAX_UPLOAD = 100 * 2 ** 20

const result = z.object({
  ok: z.boolean(),
  pid: z.number().nullable(),
  name: z.string().optional(),
  started_at: z.number().optional(),
  archive: z.string(),
  error: z.literal('home_in_use').optional(),
  message: z.string().optional(),
  command: z.string().optional().meta({ description: 'What a person types once svc does not run in the home.' }),
})
const uploadFields = z.object({
  force: z.enum(['true', 'false', '1', '0']).default('false'),
  passphrase: passphraseField,
})

interface ImportOptions {
  readonly file: string
  readonly passphrase: string | undefined
  readonly profile: string | undefined
}

export function importRoutes(ctx: Context, actions: Actions): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'POST',
      path: '/api/ops/import',
      summary: 'Takes over an export or a backup of the folder of backups; GET /api/actions/import/status follows it',
      query: profileQuery,
      body: z.strictObject({ archive: archiveField, force: z.boolean().default(false), passphrase: passphraseField }),
      response: result,
      async handle({ query: { profile }, body: { archive, force, passphrase } }) {
        const { file } = await findBackup(ctx, archive)
        requireForce(force)
        return importFile(ctx, actions, { file, passphrase, profile })
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/ops/import-upload',
      summary:
        'The same for a file of a form (`file`, `force`, `passphrase`), which is stored in the folder of backups',
      query: profileQuery,
      response: z.object({ ...result.shape, uploaded_bytes: z.number() }),
      maxBytes: MAX_UPLOAD,
      async handle({ query: { profile }, http }) {
        const { file: bytes, force, passphrase } = await readForm(http.body, http.headers['content-type'])
        requireForce(force)
        const file = await store(ctx, bytes, passphrase)
        return {
          ...(await importFile(ctx, actions, { file, passphrase, profile })),
          uploaded_bytes: bytes.byteLength,
        }
      },
    }),
  ]
}

/** Asks as the command does, which takes `--yes`. Throws `DASHBOARD_IMPORT`. */
function requireForce(force: boolean): void {
  if (force) return
  const message = 'An import replaces files of the home, after a backup. Ask again with force.'
  throw new SvcError('DASHBOARD_IMPORT', message, { status: 409 })
}

async function importFile(
  ctx: Context,
  actions: Actions,
  { file, passphrase, profile }: ImportOptions,
): Promise<z.infer<typeof result>> {
  const { kind } = await describe(ctx, file, passphrase)
  const target = findProfile(ctx, profile)
  const words = kind === 'export' ? ['import', file] : ['backup', 'restore', file]
  if (target === (ctx.use(Home).profile ?? 'default')) {
    const what = kind === 'export' ? ['import'] : ['backup', 'restore']
    const message =
      'This dashboard runs in the home that would be exchanged. End it and what else runs in the home, then run the command.'
    const command = `svc -p ${target} ${what.join(' ')} ${quotePath(file)}`
    return { ok: false, pid: null, archive: file, error: 'home_in_use', message, command }
  }
  const environment = givePassphrase(ctx, passphrase, kind)
  const begun = beginCommand(ctx, actions, {
    ...{ name: 'import', words: [...words, '--yes'], profile: target },
    ...environment,
  })
  return { ...begun, archive: file }
}

/** Throws what `Backups.describe` does; `BACKUP_PASSPHRASE` also when none was given. */
export async function describe(ctx: Context, file: string, passphrase: string | undefined) {
  const backups = await bringBackups(ctx)
  return backups.describe({
    file,
    signal: ctx.signal,
    passphrase: async () => {
      if (passphrase !== undefined) return passphrase
      throw new SvcError('DASHBOARD_IMPORT', `${basename(file)} is encrypted: a passphrase is needed.`, { status: 400 })
    },
  })
}

/** Stores what was uploaded in the folder of backups if it can be read. Throws as `describe`; the file is removed then. */
async function store(ctx: Context, bytes: Uint8Array, passphrase: string | undefined): Promise<string> {
  const file = await writeUpload(ctx, bytes)
  try {
    await describe(ctx, file, passphrase)
    return file
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

/** Resolves with the path of a new file in the folder of backups. */
export async function writeUpload(ctx: Context, bytes: Uint8Array): Promise<string> {
  const backups = await bringBackups(ctx)
  const isEncrypted = Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'age-'
  // Two uploads in one second are two files.
  const file = backups.propose({ isEncrypted, profile: `upload-${ctx.use(Random).hex(4)}` })
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeAtomically(file, bytes, { mode: 0o600, enforceMode: true })
  return file
}

/** `multipart/form-data` (RFC 7578). Throws `DASHBOARD_IMPORT`. */
export async function readForm(body: Uint8Array, contentType: unknown) {
  const refuse = (why: string, cause?: unknown) =>
    new SvcError('DASHBOARD_IMPORT', `The upload cannot be read: ${why}.`, { status: 400, cause })
  if (typeof contentType !== 'string' || !contentType.startsWith('multipart/form-data'))
    throw refuse('it is no form with files (multipart/form-data)')
  const headers = { 'content-type': contentType }
  const form = await new Response(Buffer.from(body), { headers }).formData().catch((cause: unknown) => {
    throw refuse('the form is damaged', cause)
  })
  const file = form.get('file')
  if (file === null || typeof file === 'string') throw refuse('it has no field `file` with a file')
  const fields = uploadFields.safeParse({
    force: form.get('force') ?? undefined,
    passphrase: form.get('passphrase') ?? undefined,
  })
  if (!fields.success) throw refuse('force is true or false, passphrase is a text')
  const { force, passphrase } = fields.data
  return { file: new Uint8Array(await file.arrayBuffer()), force: force === 'true' || force === '1', passphrase }
}
