/** Runs the cases of one client and tells each on a line of its own, as JSON. */
import assert from 'node:assert/strict'

const { url, key } = JSON.parse(process.argv[2] ?? '{}')

export { assert, key, url }

/** Words at which the scripted model uses a tool of the agent. */
export const ASK = 'Look into the note.'
/** What the agent says then, whichever way a client puts the two parts together. */
export const SAID = /^Let me look\.\s*It says milk\.$/
/** Asked behind it, the model says whether it still has the result of the tool. */
export const AGAIN = 'What do you remember?'
export const KNOWS = /I know of 1 results\./

/** A tool of the client that has the name of one of the agent. It must never be called. */
export const ownTool = { name: 'read_file', description: 'Reads a file of the client.', calls: 0 }

export async function play(client, cases) {
  for (const [name, work] of Object.entries(cases)) {
    const before = ownTool.calls
    let problem
    try {
      await work()
      assert.equal(ownTool.calls, before, 'a tool of the client was called')
    } catch (error) {
      problem = `${error?.name ?? 'Error'}: ${error?.message ?? error}`.replaceAll(/\s+/g, ' ').slice(0, 400)
    }
    process.stdout.write(`${JSON.stringify({ client, name, ok: problem === undefined, problem })}\n`)
  }
  process.exit(0)
}
