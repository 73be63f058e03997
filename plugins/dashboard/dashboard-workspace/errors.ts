/** Error codes of the plugin `dashboard-workspace`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DASHBOARD_FILE_PATH:
    'The path leads out of the folder of the session, or cannot be a path in it. Name it relative to that folder, without `..`.',
  DASHBOARD_FILE_ABSENT: 'There is no such file or folder. Read the list of its folder again.',
  DASHBOARD_FILE_TAKEN: 'A file or folder of this name is there, or it was changed meanwhile. Nothing was overwritten.',
  DASHBOARD_FILE_CHANGED: 'The file was changed while it was read. What was sent of it is not to be used; ask again.',
  DASHBOARD_FILE_SIZE:
    'The file is larger than uploads, or files that are sent in an answer, may be, or what came is not what was announced.',
  DASHBOARD_MEDIA:
    'The file is not a picture that browsers show (PNG, JPEG, GIF, WebP), or the plugin media does not run.',
  DASHBOARD_UPLOAD:
    'There is no such upload, it was left for too long, its pieces came in another order, or a whole file was not base64. Begin again.',
  DASHBOARD_GIT: 'Git could not look at the folder, for the reason that is given.',
  DASHBOARD_NO_REMOTE: 'A push has no place to go: the repository has no remote, or several and none is called origin.',
  DASHBOARD_PUSH:
    'The branch was not pushed: the remote refused it, it is not the one that was confirmed, or the repository names a program that the push would run.',
  DASHBOARD_PUSH_REJECTED:
    'The remote has commits that the branch does not have. Take them over first; nothing is overwritten there.',
  DASHBOARD_PUSH_LOGIN:
    'The remote wants a login that git does not have. Sign in once in a terminal; nothing is asked here.',
  DASHBOARD_GH:
    'The program gh could not do it: it is not installed, not signed in, or refused. Pull requests need it; https://cli.github.com has it.',
  DASHBOARD_NO_COPY:
    'Files are removed and replaced here only after a checkpoint, and none could be taken. Use a terminal, or enable the plugin `checkpoints`.',
} satisfies ErrorMessages
