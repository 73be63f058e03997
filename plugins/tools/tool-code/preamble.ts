/** What stands before a script in its own process: the tools as functions, over descriptor 3, a JSON object a line. */

/** Loaded by `node --import` before the script. The socket keeps the process alive only while a call is under way. */
export function javascriptPreamble(tools: readonly string[]): string {
  return `import { createRequire } from 'node:module'
import { Socket } from 'node:net'
const socket = new Socket({ fd: 3, readable: true, writable: true })
socket.unref()
const waiting = new Map()
let count = 0
let rest = ''
socket.setEncoding('utf8')
socket.on('data', (text) => {
  const lines = (rest + text).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, failed, ...result } = JSON.parse(line)
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) socket.unref()
    if (failed) reject(Object.assign(new Error(result.text), result))
    else resolve(result)
  }
})
const gone = () => {
  for (const { reject } of waiting.values()) reject(new Error('svc does not listen any more'))
}
socket.on('error', gone)
socket.on('close', gone)
const call = (tool, input = {}) =>
  new Promise((resolve, reject) => {
    count += 1
    waiting.set(count, { resolve, reject })
    socket.ref()
    socket.write(JSON.stringify({ id: count, tool, input }) + '\\n')
  })
for (const tool of ${JSON.stringify(tools)}) if (!(tool in globalThis)) globalThis[tool] = (input) => call(tool, input)
globalThis.require = createRequire(process.cwd() + '/')
`
}

/** Runs the script that its first argument names. */
export function pythonPreamble(tools: readonly string[]): string {
  return `import builtins, json, os, runpy, socket, sys, threading
_stream = socket.socket(fileno=3).makefile('rw', encoding='utf-8', newline='\\n')
_lock = threading.Lock()
class ToolError(Exception):
    pass
def _tool(name):
    def call(**input):
        with _lock:
            _stream.write(json.dumps({'id': 1, 'tool': name, 'input': input}) + '\\n')
            _stream.flush()
            answer = json.loads(_stream.readline())
        if answer.pop('failed', False):
            raise ToolError(answer['text'])
        return answer
    call.__name__ = name
    return call
builtins.ToolError = ToolError
for _name in ${JSON.stringify(tools)}:
    if not hasattr(builtins, _name):
        setattr(builtins, _name, _tool(_name))
sys.path.insert(0, os.getcwd())
_script = sys.argv[1]
sys.argv = [_script]
runpy.run_path(_script, run_name='__main__')
`
}
