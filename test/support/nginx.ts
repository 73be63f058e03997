/** nginx from Debian as a reverse proxy with TLS, set up as the README of a plugin tells it. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'

const paths = ['/usr/sbin/nginx', '/usr/bin/nginx']

/** Why there is no nginx to use; undefined when there is. In CI its absence is a failure, not an excuse. */
export function missingNginx(): string | undefined {
  if (paths.some((path) => existsSync(path))) return undefined
  return process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1' ? undefined : 'nginx is not installed'
}

/** A port that was free a moment ago, for a program that has to be told one. */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts it in a folder with a certificate of its own. `location` is the inside of the server block. */
export async function startNginx(folder: string, port: number, location: string): Promise<AsyncDisposable> {
  mkdirSync(folder, { recursive: true })
  const certificate = ['-keyout', 'key.pem', '-out', 'cert.pem', '-days', '2', '-subj', '/CN=localhost']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...certificate], {
    cwd: folder,
    stdio: 'ignore',
  })
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  const config = `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${join(folder, 'nginx.pid')};
error_log stderr warn;
events { worker_connections 256; }
http {
  access_log ${join(folder, 'access.log')};
  ${temporary.join('\n  ')}
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${join(folder, 'cert.pem')};
    ssl_certificate_key ${join(folder, 'key.pem')};
${location}
  }
}
`
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, config)
  const program = paths.find((path) => existsSync(path)) ?? 'nginx'
  const child = spawn(program, ['-e', 'stderr', '-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (piece) => {
    said += String(piece)
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  for (let each = 0; each < 200 && !(await answers(port)); each++) {
    if (child.exitCode !== null) throw new Error(`nginx did not start: ${said}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await gone
    },
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ port, host: '127.0.0.1', path: '/', rejectUnauthorized: false }, (reply) => {
      reply.resume()
      resolve(true)
    })
    asked.on('error', () => resolve(false))
    asked.end()
  })
}
