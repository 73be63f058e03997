/** The agent inside another program: opens svc, runs one turn, and gives every event as it happens. */
import { openSvc } from 'svc'
import { Agent, Sessions, type TurnEvent } from 'svc/sdk'

/** Asks about the files in `cwd`. Sessions and logs are kept below `home`. */
export async function* ask(text: string, { home, cwd }: { home: string; cwd: string }): AsyncGenerator<TurnEvent> {
  const svc = await openSvc({
    home,
    // The tools and model providers that belong to the agent come along.
    plugins: ['agent'],
    // Stands in for config.yaml. This model is a script that works offline; put your own in its place.
    config: { model: { provider: 'demo' } },
  })
  try {
    const session = svc.use(Sessions).create({ surface: 'embed', cwd })
    yield* svc.use(Agent).run({ sessionId: session.id, text, surface: 'embed' })
  } finally {
    await svc.stop()
  }
}
