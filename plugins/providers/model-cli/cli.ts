/** `svc model`: its subcommands, each in a file that is loaded when it runs. */
import type { CliCommand, PluginContext } from 'svc/sdk'

const json = { flags: '--json', description: 'As JSON' }

/** The command. */
export function modelCommand(ctx: PluginContext<undefined>): CliCommand {
  const show: CliCommand = {
    name: 'show',
    description: 'Show the model in use and why it was chosen',
    options: [json],
    examples: ['model show'],
    run: async (input, io) => (await import('./show.ts')).show(ctx, input, io),
  }
  return {
    name: 'model',
    description: 'Show, list, set and try models',
    options: [json],
    examples: ['model', 'model list', 'model set anthropic claude-sonnet-4-5', 'model test'],
    run: (input, io) => show.run?.(input, io) ?? Promise.resolve(undefined),
    subcommands: [
      show,
      auxCommand(ctx),
      {
        name: 'list',
        description: 'Providers, whether they can be used, and their models',
        arguments: '[provider]',
        options: [json],
        examples: ['model list', 'model list ollama'],
        run: async (input, io) => (await import('./list.ts')).list(ctx, input, io),
      },
      {
        name: 'pick',
        description: 'Pick a model from those currently available',
        examples: ['model pick'],
        run: async (_input, io) => (await import('./pick.ts')).pick(ctx, io),
      },
      {
        name: 'set',
        description: 'Write model.provider and model.default into config.yaml',
        arguments: '<provider> [model]',
        examples: ['model set ollama llama3.2:latest', 'model set auto'],
        run: async (input, io) => (await import('./set.ts')).set(ctx, input, io),
      },
      {
        name: 'test',
        description: 'Send a short test prompt and report the latency',
        options: [
          { flags: '--provider <name>', description: 'Only models of this provider' },
          { flags: '-m, --model <id>', description: 'This model' },
          json,
        ],
        examples: ['model test', 'model test --provider groq --model llama-3.3-70b-versatile'],
        run: async (input, io) => (await import('./try.ts')).tryModel(ctx, input, io),
      },
    ],
  }
}

function auxCommand(ctx: PluginContext<undefined>): CliCommand {
  const aux = () => import('./aux.ts')
  return {
    name: 'aux',
    description: 'Which models do side work: summaries, titles, pictures. Without a command: the list',
    options: [json],
    examples: ['model aux', 'model aux set title groq llama-3.1-8b-instant', 'model aux test title'],
    run: async (input, io) => (await aux()).listSlots(ctx, input, io),
    subcommands: [
      {
        name: 'list',
        description: 'Each kind of side work and its model',
        options: [json],
        examples: ['model aux list'],
        run: async (input, io) => (await aux()).listSlots(ctx, input, io),
      },
      {
        name: 'set',
        description: 'Write auxiliary.<slot>.provider and .model into config.yaml',
        arguments: '<slot> <provider> [model]',
        examples: ['model aux set title groq llama-3.1-8b-instant', 'model aux set title auto'],
        run: async (input, io) => (await aux()).setSlot(ctx, input, io),
      },
      {
        name: 'test',
        description: 'Send a short test prompt to this auxiliary model',
        arguments: '<slot>',
        options: [json],
        examples: ['model aux test title'],
        run: async (input, io) => (await aux()).testSlot(ctx, input, io),
      },
    ],
  }
}
