/** Error codes of the desktop. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DESKTOP_BOOTSTRAP:
    'The first start did not complete. The message names the stage and the reason; it stays until the failure is reset (Try again, or `svc desktop --reset`).',
  DESKTOP_STAGE: 'A stage of the first start failed. The message says which program or file is about and what to do.',
  DESKTOP_NO_BACKEND:
    'No program that can serve the desktop was found. The message lists what was tried. Install svc again.',
  DESKTOP_BACKEND:
    'The backend of the desktop ended or did not answer. The message holds the end of its log; `svc logs` has the rest.',
  DESKTOP_POOL_FULL: 'As many backends run as may. Close a window of another profile.',
  DESKTOP_REMOTE:
    'SVC_DESKTOP_REMOTE_URL and SVC_DESKTOP_REMOTE_TOKEN are set only in part, or the address is not one of http or https.',
  DESKTOP_WINDOW:
    'The browser of the window could not be started or driven. The message says why; SVC_DESKTOP_BROWSER names another one.',
  DESKTOP_LINK: 'The link leads to no page of the dashboard. Links look like svc://session/ID; the message lists them.',
  DESKTOP_SCHEME:
    'The system was not told that svc opens svc:// links. The message names the program that failed and what it printed.',
  DESKTOP_LAUNCHER: 'The desktop that runs already did not do what was asked. `svc desktop --quit` ends it.',
  DESKTOP_CHANNEL: 'A page asked the launcher for something that it does not have. Close the window and open it again.',
} satisfies ErrorMessages
