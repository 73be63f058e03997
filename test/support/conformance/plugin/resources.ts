import type { McpExportResources } from 'svc/sdk/mcp'
import { PICTURE } from './media.ts'

export const resources: McpExportResources = {
  templates: [{ uriTemplate: 'test://template/{id}/data', name: 'data', mimeType: 'application/json' }],
  list: (_client, { offset, limit }) =>
    ['static-text', 'static-binary', 'watched-resource']
      .map((name) => ({ uri: `test://${name}`, name, description: 'For the suite.' }))
      .slice(offset, offset + limit),
  read(uri) {
    if (uri === 'test://static-text') return [{ uri, mimeType: 'text/plain', text: 'A static text.' }]
    if (uri === 'test://static-binary') return [{ uri, mimeType: 'image/png', blob: PICTURE }]
    if (uri === 'test://watched-resource') return [{ uri, mimeType: 'text/plain', text: 'Watched.' }]
    const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? []
    return id === undefined ? undefined : [{ uri, mimeType: 'application/json', text: JSON.stringify({ id }) }]
  },
  watch: (uri) => (uri === 'test://watched-resource' ? () => {} : undefined),
}
