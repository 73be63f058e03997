/** Error codes of the toolsets. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TOOLSETS_NO_WRITER: 'The plugin config, which writes config.yaml, is switched off. Switch it on, or edit the file.',
  TOOLSETS_UNKNOWN: 'No toolset and no tool has this name. `svc tools list` names those there are.',
  TOOLSETS_CLOSED: 'It is switched off everywhere, which no surface outweighs. Switch it on without naming a surface.',
} satisfies ErrorMessages
