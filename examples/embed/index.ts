/** Runs one turn of the agent inside this program, and prints every event as one line of JSON. */
import { openSvc } from 'svc'
import { Agent, Sessions } from 'svc/sdk'

/** Asks `text` about the files of `cwd`. Everything that is kept goes below `home`. */
export async function ask(text: string, { home, cwd }: { home: string; cwd: string }): Promise<void> {
  const svc = await openSvc({
    home,
    plugins: ['agent', 'provider-demo', 'tool-files'],
    config: { model: { provider: 'demo', default: 'demo' } },
  })
  try {
    const session = svc.use(Sessions).create({ surface: 'embed', cwd })
    for await (const event of svc.use(Agent).run({ sessionId: session.id, text, surface: 'embed' }))
      console.log(JSON.stringify(event))
  } finally {
    await svc.stop()
  }
}
