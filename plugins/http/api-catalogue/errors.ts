/** Error codes of the plugin `api-catalogue`. The part after `API_`, in lower case, is the `code` for clients. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  API_JOB_INVALID: 'A field of the job is wrong; the message says which.',
  API_NOT_AVAILABLE: 'This part of the program is not loaded, so the route does nothing yet.',
  API_MODEL_NOT_FOUND: 'There is no model of this name. `GET /v1/models` lists them; a request may name any.',
} satisfies ErrorMessages
