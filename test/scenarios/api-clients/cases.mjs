/** Runs the cases of one client and tells each on a line of its own, as JSON. */
import assert from 'node:assert/strict'

const [, , server = '{}', ...args] = process.argv
const { url, key } = JSON.parse(server)
/** Only the case in which all clients talk at once is played. */
const isMeeting = args.includes('meet')

export { args, assert, key, url }

/** Words at which the scripted model uses a tool of the agent. */
export const ASK = 'Look into the note.'
/** What the agent says then, whichever way a client puts the two parts together. */
export const SAID = /^Let me look\.\s*It says milk\.$/
/** Asked behind it, the model says whether it still has the result of the tool. */
export const AGAIN = 'What do you remember?'
export const KNOWS = /I know of 1 results\./

/** A tool of the client that has the name of one of the agent. It must never be called. */
export const ownTool = { name: 'read_file', description: 'Reads a file of the client.', calls: 0 }

/** Asked so, the model answers when every client that is expected has asked, and each by its own name. */
export const greeting = (name) => ({ ask: `Meet the others as ${name}.`, said: new RegExp(`Hello ${name}\\.$`) })

/** A conversation that has to stay one session, however its client sends it. */
export function inOneSession(work) {
  return async () => {
    const before = await sessionIds()
    await work()
    const begun = [...(await sessionIds())].filter((id) => !before.has(id))
    assert.equal(begun.length, 1, `the conversation was spread over ${begun.length} sessions`)
  }
}

async function sessionIds() {
  const address = `${new URL('/api/sessions', url)}?limit=200&include_children=true`
  const reply = await fetch(address, { headers: { authorization: `Bearer ${key}` } })
  return new Set((await reply.json()).data.map(({ id }) => id))
}

/** `meeting` is what the client does when all talk at once. */
export async function play(client, cases, meeting) {
  const played = isMeeting ? { 'meets the other clients': meeting } : cases
  for (const [name, work] of Object.entries(played)) {
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
