/**
 * Encryption of archives with a passphrase, in the format of https://age-encryption.org/v1: scrypt, then ChaCha20-Poly1305 in chunks of 64
 * KiB. A file of its own beside the program: few runs encrypt.
 */
import { Decrypter, Encrypter } from 'age-encryption'

export async function encrypt(
  plain: ReadableStream<Uint8Array>,
  passphrase: string,
): Promise<ReadableStream<Uint8Array>> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  return encrypter.encrypt(plain)
}

/** Rejects for a wrong passphrase; the stream fails where what follows was changed. */
export async function decrypt(
  sealed: ReadableStream<Uint8Array>,
  passphrase: string,
): Promise<ReadableStream<Uint8Array>> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  return decrypter.decrypt(sealed)
}
