/** Parameters of a call of the Bot API, as JSON or as a form with files (core.telegram.org/bots/api#making-requests). */
import { parseForm, type ServiceRequest, type UploadedFile } from 'svc/sdk/kit/stand-in'

/** In forms, values that are no text are JSON. */
export function readForm(request: ServiceRequest): {
  readonly params: Readonly<Record<string, unknown>>
  readonly files: readonly UploadedFile[]
} {
  const form = parseForm(request)
  if (!form) return { params: (request.json() ?? {}) as Readonly<Record<string, unknown>>, files: [] }
  const params = Object.entries(form.fields).map(([name, text]) => [name, valueIn(name, text)])
  return { params: Object.fromEntries(params), files: form.files }
}

function valueIn(name: string, text: string): unknown {
  return ['media', 'reply_markup', 'reply_parameters', 'link_preview_options'].includes(name) ? JSON.parse(text) : text
}
