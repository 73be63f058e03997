/** The loop of an agent, with nothing around it: ask, run what is wanted, ask again. */

export const tools = [
  {
    type: 'function',
    function: {
      name: 'terminal',
      description: 'Run a shell command.',
      parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    },
  },
]

/** Returns the answer. `ask` sends messages to the model, `runCommand` gives the output of a command. */
export async function converse(prompt, ask, runCommand) {
  const messages = [{ role: 'user', content: prompt }]
  for (;;) {
    const { text, calls } = await ask(messages)
    if (calls.length === 0) return text
    messages.push({ role: 'assistant', content: text, tool_calls: calls })
    for (const call of calls) {
      const content = await runCommand(JSON.parse(call.function.arguments).command)
      messages.push({ role: 'tool', tool_call_id: call.id, content })
    }
  }
}
