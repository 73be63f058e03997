/** Error codes of the plugin `kanban-api`. Clients get them in lower case, without `API_`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  API_KANBAN_ABSENT:
    'The plugin that does this is switched off on this server. Switch it on: `svc plugins enable NAME`.',
  API_KANBAN_INPUT:
    'A field of the request is missing, wrong, or about something that the board does not have. The message names it.',
  API_KANBAN_UNKNOWN: 'There is no such run or attachment on the boards.',
  API_KANBAN_ENDED: 'The run has ended already, so nothing can be taken back. Look at its task.',
  API_KANBAN_FEEDS: 'As many clients follow the board as allowed. Close one, or read the events page by page.',
} satisfies ErrorMessages
