/** Reads a streamed chat completion by hand. Shared by the scripts that the product is compared with. */

/** `texts` are pieces of the event stream, cut anywhere. */
export async function readAnswer(texts) {
  const answer = { text: '', calls: [] }
  let rest = ''
  for await (const piece of texts) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop()
    for (const line of lines) if (line.startsWith('data: {')) take(JSON.parse(line.slice(6)), answer)
  }
  return answer
}

function take({ choices: [choice] }, answer) {
  if (!choice) return
  const { content, tool_calls: calls } = choice.delta
  if (content) answer.text += content
  for (const call of calls ?? []) {
    const known = answer.calls[call.index]
    if (known) known.function.arguments += call.function.arguments
    else answer.calls[call.index] = { id: call.id, type: 'function', function: { ...call.function } }
  }
}
