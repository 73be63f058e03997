/** Takes a lock file at a word from its parent, and says whether it has it. */
import { once } from 'node:events'
import { tryFileLock } from 'svc/sdk/kit/process'

const ATTEMPTS = 200
const file = process.argv[2] as string
let count = 0
const random = { hex: () => `${process.pid}-${count++}` }

console.log('ready')
await once(process.stdin, 'data')
let hasWon = false
for (let attempt = 0; !hasWon && attempt < ATTEMPTS; attempt++) hasWon = tryFileLock(file, random).lock !== undefined
console.log(hasWon ? 'won' : 'lost')
await once(process.stdin, 'data')
process.exit()
