/** The demo throws no errors of its own: what goes wrong is an event of its stream. */
import type { ErrorCatalog } from 'svc/sdk'

export default {} satisfies ErrorCatalog
