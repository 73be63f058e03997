/** Error codes of the terminal tool. */
import type { ErrorCatalog } from 'svc/sdk'

export default {
  TERMINAL_NO_SHELL: 'Neither bash nor sh could be started. Install one of them and make sure that it is on the PATH.',
  TERMINAL_BAD_COMMAND: 'The command holds a NUL character, which no shell can take. Send it without.',
  TERMINAL_TOO_LONG: 'More seconds were asked for than a foreground command gets. Ask for at most 600.',
  TERMINAL_NO_FOLDER: 'The folder to work in does not exist or cannot be entered. Name one that does.',
  TERMINAL_TOO_MANY: 'All shells are busy with commands of other sessions. Wait for one of them to finish.',
  TERMINAL_CLOSED: 'The plugin is being unloaded. Run the command again once it is back.',
} satisfies ErrorCatalog
