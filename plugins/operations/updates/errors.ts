/** Error codes of the plugin `updates`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  UPDATE_METHOD:
    'svc does not update this installation: a package manager, a container image or Nix does. The message has the command.',
  UPDATE_SOURCE:
    'What there is to update to could not be read or installed: npm or git is missing, the registry or the repository is not reachable, or the disk is full. The message says which. The installed version was not changed.',
  UPDATE_REHEARSAL:
    'The new version failed when it was tried next to the installed one. Nothing was switched; the message says what failed.',
  UPDATE_SWITCH:
    'The entry file of the installation cannot be replaced, or the new version did not start from it. The version before is in use.',
  UPDATE_ROLLBACK: 'There is no version to go back to: no update was made, or its folder was removed.',
  UPDATE_BUSY: 'Another process is updating this installation. Wait until it has ended.',
} satisfies ErrorMessages
