/** Error codes of the screens. */
import type { ErrorCatalog } from 'svc/sdk'

export default {
  PANES_TRASH:
    'A session was to be removed, but no copy of it could be written into the trash, so it was kept. Look at the disk.',
} satisfies ErrorCatalog
