/** Error codes of the container backends. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TERMINAL_CONTAINER_MISSING:
    'The program docker or podman is not installed or not on the PATH. Install it, or choose another backend.',
  TERMINAL_CONTAINER_FAILED: 'The container could not be started. The message holds what docker or podman said.',
} satisfies ErrorMessages
