import type { ErrorMessages } from 'svc/sdk'

/** All codes are those of every engine, which the SDK explains. */
export default {} satisfies ErrorMessages
