/** Error codes of the platform email. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  EMAIL_UNREACHABLE:
    'A mail server cannot be reached, or does not answer as one. Check EMAIL_IMAP_HOST, EMAIL_SMTP_HOST and their ports; it is tried again automatically.',
  EMAIL_UNAUTHORIZED:
    'A mail server refused the login. Set EMAIL_PASSWORD again; many providers want an app password, and platforms.email.login when the name is not the address.',
  EMAIL_TOKEN:
    'No access token for the mailbox can be had now. Check platforms.email.oauth_token_url, or run the command of platforms.email.oauth_command in a terminal; it is tried again automatically.',
  EMAIL_CERTIFICATE:
    'The certificate of a mail server cannot be verified. Check the host; for a certificate that the server signed itself set platforms.email.tls_ca.',
  EMAIL_MAILBOX: 'The mailbox cannot be opened. Set platforms.email.mailbox to one that is there, such as INBOX.',
  EMAIL_DISCONNECTED: 'The mail server is not connected now. It is connected again automatically.',
  EMAIL_ADDRESS: 'Email goes to one address such as ann@example.org. Correct the chat id.',
  EMAIL_REFUSED: 'The mail server refused a message for good: see its words. The address may not exist.',
  EMAIL_BUSY: 'The mail server did not take a message now. It is sent again automatically.',
  EMAIL_UNANSWERED:
    'The mail server did not answer after it was given a message. Look into the mailbox of its reader before you send it again.',
  EMAIL_LONG: 'A text for email is longer than 50,000 characters. Send it in pieces, or as a file.',
  EMAIL_FILE: 'The file of a mail cannot be fetched: the mail was moved or deleted, or the connection ended.',
} satisfies ErrorMessages
