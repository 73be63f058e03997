import type { ErrorMessages } from 'svc/sdk'

export default {
  TERMINAL_UNUSABLE:
    'This terminal cannot show a full screen: it is not a terminal, it is dumb, or another program uses it. Use the line mode.',
} satisfies ErrorMessages
