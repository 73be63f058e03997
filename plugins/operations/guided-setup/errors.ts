/** Error codes of the plugin `guided-setup`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SETUP_SECTION: 'There is no section of the setup with this name. The message has those there are.',
  SETUP_INCOMPLETE:
    'Not all questions of a section are answered, or an answer cannot be used. Nothing of the section was written; the message says what is missing.',
  SETUP_SCAN: 'The question is not answered by a phone, or is not asked with these answers.',
  SETUP_NO_TERMINAL:
    'There is no terminal to ask on. The message has the commands that set the same without questions, or give answers with --answer.',
} satisfies ErrorMessages
