/** The library that sends mail, in a separate file: it is imported when something is sent. */
// biome-ignore-all lint/performance/noBarrelFile: the build puts this file apart, and with it the library.
export { default as MailComposer } from 'nodemailer/lib/mail-composer'
export { default as SMTPConnection } from 'nodemailer/lib/smtp-connection'
export { default as XOAuth2 } from 'nodemailer/lib/xoauth2'
