/** Prints the events of one turn, a line of JSON each. */
import { join } from 'node:path'
import { ask } from './ask.ts'

const text = process.argv[2] ?? 'List the files here.'
const home = process.env['SVC_HOME'] ?? join(process.cwd(), '.svc-home')
for await (const event of ask(text, { home, cwd: process.cwd() })) console.log(JSON.stringify(event))
