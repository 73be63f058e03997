/** The libraries of mail, apart from the rest: they are imported when something connects. */
// biome-ignore-all lint/performance/noBarrelFile: the build puts this file apart, and with it the libraries.
export { ImapFlow } from 'imapflow'
export { default as MailComposer } from 'nodemailer/lib/mail-composer'
export { default as SMTPConnection } from 'nodemailer/lib/smtp-connection'
export { addressParser, default as PostalMime } from 'postal-mime'
