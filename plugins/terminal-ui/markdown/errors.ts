import type { ErrorMessages } from 'svc/sdk'

export default {
  MARKDOWN_NOT_STARTED:
    'A plugin asked for Markdown while plugins were still being set up. It has to wait for its start.',
} satisfies ErrorMessages
