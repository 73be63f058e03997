import { expect, test } from 'vitest'
import { withoutPaths } from '../../../../plugins/messaging/gateway/path-names.ts'

test.for([
  ['/home/ada/.svc/workspace belongs to svc itself.', '…/workspace belongs to svc itself.'],
  ['The file "/home/ada/a.txt" is gone (see /var/log/svc/).', 'The file "…/a.txt" is gone (see …/svc).'],
  ['C:\\Users\\Ada\\a.txt is gone', '…/a.txt is gone'],
  ['Answer with /approve, /deny or /new.', 'Answer with /approve, /deny or /new.'],
  ['See https://example.org/a/b and either/or/both.', 'See https://example.org/a/b and either/or/both.'],
])('of %j a chat reads %j', ([text, told]) => {
  expect(withoutPaths(text ?? '')).toBe(told)
})
