/** The demo throws no errors of its own: what goes wrong is an event of its stream. */
import type { ErrorMessages } from 'svc/sdk'

export default {} satisfies ErrorMessages
