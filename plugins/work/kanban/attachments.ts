/** Files at tasks, in the database, so that workers on other machines have them. */
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { SvcError } from 'svc/sdk'
import { MAX_TASK_ATTACHMENT_BYTES, type TaskAttachment, type TaskChange } from 'svc/sdk/kanban'
import type { BoardStore } from './board-store.ts'
import { requireTask } from './move.ts'
import { toAttachment } from './records.ts'

const PART_BYTES = 1024 * 1024
const MAX_NAME = 255

export interface NewAttachment {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly by: string
}

export async function attach(store: BoardStore, id: string, file: NewAttachment): Promise<TaskAttachment> {
  const { bytes, mediaType, by } = file
  if (bytes.byteLength > MAX_TASK_ATTACHMENT_BYTES)
    throw new SvcError(
      'KANBAN_INPUT',
      `${file.name} has ${bytes.byteLength} bytes, ${MAX_TASK_ATTACHMENT_BYTES} is the most. Nothing was changed.`,
    )
  const name = posix.basename(file.name.replaceAll('\\', '/')).slice(-MAX_NAME)
  if (name === '' || name === '.' || name === '..')
    throw new SvcError('KANBAN_INPUT', 'The name of an attachment must not be empty. Nothing was changed.')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return store.change(async ({ tx, tables }) => {
    const task = await requireTask(tables, id)
    const row = await tx
      .insertInto('attachments')
      .values({ task_id: id, name, media_type: mediaType, size: bytes.byteLength, sha256, author: by, at: tables.now })
      .returningAll()
      .executeTakeFirstOrThrow()
    for (let part = 0; part * PART_BYTES < bytes.byteLength; part++) {
      const some = bytes.slice(part * PART_BYTES, (part + 1) * PART_BYTES)
      await tx.insertInto('attachment_parts').values({ attachment_id: row.id, part, bytes: some }).execute()
    }
    const data = { by, name, size: bytes.byteLength }
    tables.event({ board: task.board, taskId: id, runId: task.run_id, kind: 'attached', data })
    return toAttachment(row)
  })
}

export async function readAttachment(
  store: BoardStore,
  id: number,
): Promise<TaskAttachment & { readonly bytes: Uint8Array }> {
  const { query } = await store.open()
  const row = await query.selectFrom('attachments').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw unknown(id)
  const parts = await query
    .selectFrom('attachment_parts')
    .select('bytes')
    .where('attachment_id', '=', id)
    .orderBy('part')
    .execute()
  return { ...toAttachment(row), bytes: new Uint8Array(Buffer.concat(parts.map(({ bytes }) => bytes))) }
}

export async function removeAttachment(store: BoardStore, id: number, { by }: TaskChange): Promise<void> {
  await store.change(async ({ tx, tables }) => {
    const row = await tx.selectFrom('attachments').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row) throw unknown(id)
    const task = await requireTask(tables, row.task_id)
    await tx.deleteFrom('attachment_parts').where('attachment_id', '=', id).execute()
    await tx.deleteFrom('attachments').where('id', '=', id).execute()
    const data = { by, name: row.name }
    tables.event({ board: task.board, taskId: task.id, runId: task.run_id, kind: 'attachment_removed', data })
  })
}

function unknown(id: number): SvcError {
  return new SvcError('KANBAN_INPUT', `There is no attachment ${id}. \`svc kanban show\` lists those of a task.`)
}
