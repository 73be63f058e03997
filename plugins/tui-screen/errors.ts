import type { ErrorCatalog } from 'svc/sdk'

export default {
  TERMINAL_UNUSABLE:
    'This terminal cannot show a full screen: it is none, it is dumb, or somebody has it already. Use the line mode.',
} satisfies ErrorCatalog
