/** Error codes of the platform IRC. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  IRC_UNREACHABLE:
    'The IRC server cannot be reached, or does not let the connection through. Check IRC_SERVER, IRC_PORT and whether it speaks TLS.',
  IRC_UNAUTHORIZED:
    'The IRC server or its services refused the password. Set IRC_SERVER_PASSWORD or IRC_NICKSERV_PASSWORD again, and platforms.irc.account.',
  IRC_BANNED: 'The IRC server has banned this account or machine. Ask its operators.',
  IRC_NICKNAME: 'The IRC server does not take the nickname. Set IRC_NICKNAME to another, shorter one.',
  IRC_CERTIFICATE:
    'The certificate of the IRC server cannot be verified. Check IRC_SERVER; for a certificate that the server signed itself set platforms.irc.tls_ca.',
  IRC_DISCONNECTED: 'The IRC connection is gone. It is re-established automatically; what was not sent is tried again.',
  IRC_REFUSED:
    'The IRC server refused a message: see its words. The nickname or channel may be gone, or svc is muted there.',
  IRC_BUSY: 'The IRC server wants messages to come more slowly. They are sent again by themselves.',
  IRC_UNANSWERED: 'The IRC server did not answer to a message. It may have been sent; look before you send it again.',
  IRC_TARGET:
    'IRC has no such chat: a channel begins with #, a person is account:<name>, nick!user@host or a nickname.',
  IRC_ABSENT: 'The person is not on IRC now, or another user has the nickname. The message was not sent.',
  IRC_LONG: 'A message for IRC is longer than 400 bytes. Send it in pieces.',
} satisfies ErrorMessages
