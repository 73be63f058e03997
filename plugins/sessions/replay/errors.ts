import type { ErrorMessages } from 'svc/sdk'

export default {
  REPLAY_RUN_UNKNOWN: 'No turn or session has this id. `svc sessions list` shows the sessions.',
  REPLAY_TOOLS_UNKNOWN: 'The turn was recorded before tools were kept with it, so it cannot be replayed.',
  REPLAY_NETWORK: 'Something asked for the network while a turn was replayed. A replay has none.',
  REPLAY_PLACE_UNKNOWN: 'A turn is forked at one of its events; the message has their range.',
} satisfies ErrorMessages
