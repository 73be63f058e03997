/** Files at tasks. */
import { SvcError } from 'svc/sdk'
import { type Boards, MAX_TASK_ATTACHMENT_BYTES, type TaskAttachment } from 'svc/sdk/kanban'
import type { ApiRequest, ApiRoute, HttpRequest } from 'svc/sdk/web'
import { z } from 'zod'
import { AUTHOR, type Context, defineRoute, getId, getNumber, invalid, RawReply } from './route.ts'
import { attachmentSchema, toAttachment } from './wire.ts'

/** What a form has around its file. */
const FORM_BYTES = 65_536

const naming = z.looseObject({
  filename: z
    .string()
    .optional()
    .meta({ description: 'Of a file that is sent as the body itself, and not in a form.' }),
  uploaded_by: z.string().max(200).optional(),
})

export function attachmentRoutes(ctx: Context): readonly ApiRoute[] {
  return [
    defineRoute(ctx, {
      method: 'GET',
      path: '/tasks/:id/attachments',
      summary: 'Files of a task',
      response: z.object({ attachments: z.array(attachmentSchema) }),
      async handle(boards, request) {
        const { attachments } = await boards.details(getId(request))
        return { attachments: attachments.map(toAttachment) }
      },
    }),
    defineRoute(ctx, {
      method: 'POST',
      path: '/tasks/:id/attachments',
      summary: 'Keeps a file with a task: the field file of a form (multipart/form-data), or the body itself',
      query: naming,
      maxBytes: MAX_TASK_ATTACHMENT_BYTES + FORM_BYTES,
      response: z.object({ attachment: attachmentSchema }),
      async handle(boards, { http, query }) {
        const { by, ...file } = await readFile(http, query)
        const attachment = await boards.attach(http.params['id'] ?? '', { ...file, by: by ?? AUTHOR })
        return { attachment: toAttachment(attachment) }
      },
    }),
    defineRoute(ctx, {
      method: 'GET',
      path: '/attachments/:id',
      summary: 'The bytes of a file',
      async handle(boards, request) {
        const { bytes, name, mediaType } = await findAttachment(boards, request)
        const headers = {
          'content-type': mediaType,
          // Never shown as a page of this server.
          'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
        }
        return new RawReply({ headers, body: bytes })
      },
    }),
    defineRoute(ctx, {
      method: 'DELETE',
      path: '/attachments/:id',
      summary: 'Removes a file from its task',
      async handle(boards, request) {
        const { id, taskId } = await findAttachment(boards, request)
        await boards.removeAttachment(id, { by: AUTHOR })
        return { ok: true, deleted: true, id, task_id: taskId }
      },
    }),
  ]
}

async function findAttachment(
  boards: Boards,
  request: Pick<ApiRequest, 'http'>,
): Promise<TaskAttachment & { readonly bytes: Uint8Array }> {
  const id = getNumber(request)
  try {
    return await boards.attachment(id)
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'KANBAN_INPUT') throw error
    throw new SvcError('API_KANBAN_UNKNOWN', `There is no attachment ${id}.`, { status: 404, cause: error })
  }
}

async function readFile({ headers, body }: HttpRequest, { filename, uploaded_by: by }: z.infer<typeof naming>) {
  const type = headers['content-type'] ?? 'application/octet-stream'
  if (!type.startsWith('multipart/form-data')) {
    if (filename === undefined)
      throw invalid('filename: name the file in the query, or send a form with the field file.')
    return { name: filename, mediaType: toMediaType(type), bytes: body, by }
  }
  const form = await parseForm(body, type)
  const file = form.get('file')
  if (!(file instanceof File)) throw invalid('file: the form has no field of this name with a file in it.')
  const named = form.get('uploaded_by')
  return {
    name: file.name,
    mediaType: toMediaType(file.type || 'application/octet-stream'),
    bytes: new Uint8Array(await file.arrayBuffer()),
    by: by ?? (typeof named === 'string' && named !== '' ? named.slice(0, 200) : undefined),
  }
}

/** Source: RFC 7578, as the platform reads it. */
async function parseForm(body: Uint8Array, type: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  } catch (error) {
    throw new SvcError('API_KANBAN_INPUT', 'The body is not the form that its type says.', {
      status: 400,
      cause: error,
    })
  }
}

/** It becomes a header again when the file is read. */
function toMediaType(type: string): string {
  const [plain = ''] = type.split(';')
  return /^[\w.+-]+\/[\w.+-]+$/.test(plain.trim()) ? plain.trim().slice(0, 100) : 'application/octet-stream'
}
