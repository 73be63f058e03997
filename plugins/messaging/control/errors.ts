import type { ErrorMessages } from 'svc/sdk'

export default {
  CONTROL_AGENT:
    'A program that the agent started asked a running svc for something that only a person may. Do it in your own terminal.',
  CONTROL_CLOSED: 'A running svc closed the connection before it answered; most likely it ended just then.',
  CONTROL_METHOD_UNKNOWN: 'A running svc does not know what it was asked; it may be of another version. Restart it.',
  CONTROL_PARAMS: 'A running svc was asked in a way it does not understand. The message says what is missing.',
  CONTROL_TIMEOUT: 'A running svc did not answer in time. It may be stuck; end it by its process id.',
  CONTROL_TOO_LARGE: 'A request to a running svc, or its answer, was larger than allowed.',
  CONTROL_UNAVAILABLE:
    'This process cannot be reached by other commands: its home, or the temporary folder, cannot hold a socket.',
  CONTROL_UNPROVEN:
    'A running svc could not tell which process asked it for a change, so it did nothing. Ask from the same machine and user.',
  CONTROL_UNREACHABLE: 'A svc runs but may not be spoken to; most likely another user started it. End it and retry.',
} satisfies ErrorMessages
