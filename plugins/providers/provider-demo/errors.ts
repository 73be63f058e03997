/** The demo throws no errors: failures are events of its stream. */
import type { ErrorMessages } from 'svc/sdk'

export default {} satisfies ErrorMessages
