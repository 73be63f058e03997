/** The tools that scripts may call: those whose scope says so. */
import type { Tool } from 'svc/sdk'

/** Also what a function may be called in both languages. */
const NAME = /^[A-Za-z_]\w*$/

/** By name, so that the same tools are always told in the same words. */
export function scriptTools(tools: readonly Tool[]): readonly Tool[] {
  return tools
    .filter(({ name, scope }) => scope?.scripts !== undefined && scope.scripts !== false && NAME.test(name))
    .sort((one, two) => (one.name < two.name ? -1 : 1))
}

/** Why a script may not make a call, as a sentence; undefined when it may. */
export function explainNotInScript(
  tools: readonly Tool[],
  name: string,
  input: Readonly<Record<string, unknown>>,
): string | undefined {
  const scripts = tools.find((tool) => tool.name === name)?.scope?.scripts
  if (scripts === undefined) {
    const names = tools.map((tool) => tool.name)
    return `A script cannot call "${name}". It can call ${names.join(', ') || 'no tool'}.`
  }
  return typeof scripts === 'function' ? scripts(input) : undefined
}

/** Names the functions, and shows one call in each language. */
export function describeFunctions(tools: readonly Tool[]): string {
  const sample = tools.flatMap((tool) => {
    const [field] = tool.effect === 'pure' ? requiredFields(tool) : []
    return field === undefined ? [] : [{ name: tool.name, field }]
  })[0] ?? { name: 'name', field: 'field' }
  const { name, field } = sample
  const names = tools.map((tool) => tool.name).join(', ') || 'none'
  return `Functions: ${names}. JavaScript (ES module): \`await ${name}({ ${field} })\` gives { text, data }; Python: \`${name}(${field}=...)["text"]\`.`
}

function requiredFields({ input }: Tool): readonly string[] {
  const { required } = input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? {}
  return Array.isArray(required) ? required.map(String) : []
}
