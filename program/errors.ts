/** Errors of the program, by their codes. */

import { infoCommand } from '../sdk/advice.ts'
import type { ErrorMessages } from '../sdk/errors.ts'

/** Codes that the program throws or reports. */
export const programErrors = {
  CLI_IN_AGENT:
    'A program that the agent started wants svc to do something that only a person may. Run it in your own terminal.',
  CONFIG_UNREADABLE:
    'config.yaml could not be parsed. The last good values stay in force; nothing overwrites the file.',
  INPUT_TOO_LARGE: 'Standard input is larger than the command takes. Write it to a file and name the file.',
  JOB_FAILED: `A job of a plugin failed. It runs again after a longer wait; \`${infoCommand('NAME')}\` has the reason.`,
  JOB_INVALID:
    'A plugin repeats a job at an interval that is not a number of milliseconds, or gives two jobs one name.',
  NET_CLOSED:
    'The other side closed the connection before its answer was complete; it may have done what it was asked. Try again.',
  NET_FORBIDDEN: 'The request is not allowed to this address: its caller permits other addresses only.',
  NET_STALLED: 'The other side stopped sending in the middle of its answer.',
  NET_TIMEOUT: 'The other side did not answer in time.',
  NET_TOO_LARGE: 'The answer of the other side is larger than expected.',
  NET_UNREACHABLE: 'No connection could be made. Check that the address is right and the server runs.',
  PLUGIN_BUNDLE_CHANGED:
    'The built code of a plugin, below cache/plugins, was changed by another program. It was built again; find out by which.',
} satisfies ErrorMessages
