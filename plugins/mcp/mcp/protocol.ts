/** All that loads the library of the protocol: a file of its own in the program, read with the first server. */
import { openConnection } from './connection.ts'
import { StoredAuth, signIn } from './oauth.ts'

export const protocol = { openConnection, StoredAuth, signIn }
