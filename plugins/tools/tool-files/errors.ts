/** Error codes of the file tools. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  FILE_ENVIRONMENT:
    'Commands run in an environment whose files svc does not reach. Use commands there, or set another terminal.backend.',
  FILE_BAD_PATH: 'The path is empty or holds a NUL character. Name a file or folder.',
  FILE_NOT_FOUND: 'There is no such file or folder. Look at the suggested names, or list the folder.',
  FILE_IS_FOLDER: 'The path is a folder where a file is needed. Name a file in it, or use list_files.',
  FILE_NOT_A_FOLDER: 'The path, or part of it, is a file where a folder is needed. Correct the path.',
  FILE_NOT_REGULAR: 'Devices, pipes and sockets are not read or written. Name an ordinary file.',
  FILE_BINARY: 'The file is not text. Use a program that understands its format.',
  FILE_PROTECTED: 'The file holds secrets or belongs to the system or to svc itself. Ask the user to handle it.',
  FILE_MASKED:
    'The file holds secrets that were shown as ***; writing it whole would destroy them. Change single lines.',
  FILE_NOT_SAFE: 'SVC_WRITE_SAFE_ROOT names the only folder that may be written in, and the file is elsewhere.',
  FILE_CHANGED: 'Another program changed the file after it was read. Read it again and repeat the change.',
  FILE_TWICE: 'One change names the same file twice, perhaps through a link. Name each file once.',
  FILE_TOO_LARGE: 'The file is too large to be edited in memory. Use a command such as sed.',
  FILE_HALF_DONE:
    'A change of several files failed and could not be taken back; the copies that are named hold the rest.',
  FILE_NO_RIGHTS: 'The rights of the file or folder do not allow it. Ask the user to change them.',
  FILE_NO_SPACE: 'The disk or the quota is full. Free some space and try again.',
  FILE_FAILED: 'The system refused the operation for the reason that is given.',
  SEARCH_FAILED: 'The search program could not finish, for the reason that is given.',
  SEARCH_TOO_SLOW: 'The pattern takes too long on one of the files. Take out nested repetition such as (a+)+.',
} satisfies ErrorMessages
