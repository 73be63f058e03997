/** The least that takes due items from PostgreSQL: row locking over `pg`, one item at a time. Arguments: URL, schema. */
import { once } from 'node:events'
import pg from 'pg'

const [url, schema] = process.argv.slice(2)
const client = new pg.Client({ connectionString: url })
await client.connect()
await client.query(`set search_path to ${schema}`)
process.stdout.write('ready\n')
await once(process.stdin, 'data')

for (;;) {
  await client.query('begin')
  const { rows } = await client.query(
    `select id from items where state = 'due' order by id limit 1 for update skip locked`,
  )
  const id = rows[0]?.id
  if (id !== undefined)
    await client.query(`update items set state = 'claimed', holder = $1 where id = $2`, [process.pid, id])
  await client.query('commit')
  if (id === undefined) break
  await client.query('begin')
  await client.query(`update items set state = 'done' where id = $1`, [id])
  await client.query('insert into done (item) values ($1)', [id])
  await client.query('commit')
}
process.stdout.write('done\n')
await client.end()
process.exit(0)
