/** Error codes of snapshots. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  CHECKPOINT_GIT: 'Git is missing, too old, or failed. Install git 2.20 or newer, or do what the message says.',
  CHECKPOINT_SLOW: 'Git took too long. Leave large folders out with `checkpoints.exclude`, and try again.',
  CHECKPOINT_UNKNOWN: 'There is no such snapshot of this folder. List those there are with `svc checkpoints`.',
  CHECKPOINT_PATH: 'The file is outside the project, or the snapshot has nothing about it. Name one that it has.',
  CHECKPOINT_LEFT_OUT: 'Snapshots are not kept of this folder; the message says why.',
  CHECKPOINT_BUSY: 'Another svc works on the snapshots of this project. Try again when it is done.',
  CHECKPOINT_USAGE: 'The command was typed wrong. The message says how it is typed.',
} satisfies ErrorMessages
