/** Error codes of this plugin. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  COPILOT_ADDRESS:
    'COPILOT_ACP_BASE_URL is no address of a Copilot CLI on this machine. The message has the right form.',
  COPILOT_MISSING: 'The program of GitHub Copilot CLI was not found. Install it, or name it in COPILOT_CLI_PATH.',
  COPILOT_CONNECTION: 'GitHub Copilot CLI did not start, or speaks another protocol. The message has what it wrote.',
} satisfies ErrorMessages
