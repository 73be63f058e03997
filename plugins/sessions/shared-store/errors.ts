import type { ErrorMessages } from 'svc/sdk'

export default {
  STORAGE_ENGINE_UNKNOWN:
    'The address in storage.url is of a kind that no plugin knows. Use postgres://, or leave it empty for SQLite files.',
} satisfies ErrorMessages
