/** Error codes of the tool that looks at pictures. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  VISION_TOO_LARGE: 'The picture has more pixels or bytes than models take. Make it smaller with a command first.',
  VISION_NO_MODEL:
    'No model that sees pictures is connected. Choose one with `svc model aux set vision <provider> <model>`.',
} satisfies ErrorMessages
