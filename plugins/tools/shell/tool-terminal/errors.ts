/** Error codes of the terminal tool. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TERMINAL_NO_SHELL: 'Neither bash nor sh could be started. Install one of them and make sure that it is on the PATH.',
  TERMINAL_NO_BACKEND: 'No plugin offers the backend that terminal.backend or TERMINAL_ENV names. Choose another one.',
  TERMINAL_LOST:
    'The shell in the container or on the other machine did not start. The message holds what was said there.',
  TERMINAL_NOT_CONFINED:
    'Commands must be confined (terminal.confine is required), and nothing does that here. Do what the message says.',
  TERMINAL_UNCONFINED:
    'Commands are not confined, since terminal.confine is off. Set it to auto to have them confined.',
  TERMINAL_BAD_COMMAND: 'The command holds a NUL character, which no shell can take. Send it without.',
  TERMINAL_BAD_OPTIONS: 'Options were combined that do not go together. Leave one of them out.',
  TERMINAL_TOO_LONG:
    'More seconds were asked for than a foreground command gets. Ask for at most 600, or run it in the background.',
  TERMINAL_NO_FOLDER: 'The folder to work in does not exist or cannot be entered. Name one that does.',
  TERMINAL_NO_PROCESSES: 'Background and pty need the plugin tool-process, which is off or has failed. Switch it on.',
  TERMINAL_TOO_MANY: 'All shells are busy with commands of other sessions. Wait for one of them to finish.',
  TERMINAL_CLOSED: 'The plugin is being unloaded. Run the command again once it is back.',
} satisfies ErrorMessages
