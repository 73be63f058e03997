/** Error codes of `svc tools`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TOOLS_NAME_UNKNOWN: 'No toolset and no tool has the name that was typed. `svc tools list` names those there are.',
  TOOLS_SURFACE_UNKNOWN: 'No front end has the name that follows --surface. The message names those there are.',
} satisfies ErrorMessages
