/** Skills, toolsets and MCP servers: what the agent can do, and switches for it. */
import { useSignal } from '@preact/signals'
import { CodeBlock, Markdown } from '../chat/markdown.tsx'
import { useResource } from '../client/api.ts'
import { useSearched } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { SkillHub } from '../skills/hub.tsx'
import { McpServers } from '../skills/mcp-servers.tsx'
import { EditSkill, NewSkill } from '../skills/skill-editor.tsx'
import { Badge, Button, Card, Dialog, Loaded, Page, Switch, Tabs } from '../ui/parts.tsx'
import { SearchField } from '../ui/search-field.tsx'

export function SkillsPage() {
  return (
    <Page title={t('Skills')}>
      <Tabs
        label={t('Skills')}
        tabs={[
          { id: 'skills', label: t('Skills'), body: () => <Skills /> },
          { id: 'hub', label: t('Find skills'), body: () => <SkillHub /> },
          { id: 'tools', label: t('Tools'), body: () => <Toolsets /> },
          { id: 'mcp', label: t('MCP servers'), body: () => <McpServers /> },
        ]}
      />
    </Page>
  )
}

function Skills() {
  const [search, open] = [useSearched(), useSignal<string | undefined>(undefined)]
  const listed = useResource((signal) => api.get('/api/skills', {}, signal), [])
  const toggle = (name: string, enabled: boolean) =>
    attempt(() => api.put('/api/skills/toggle', { name, enabled })).then(listed.reload)
  return (
    <>
      <p class="actions end">
        <NewSkill done={listed.reload} />
      </p>
      <SearchField words={search} />
      <Loaded from={listed}>
        {({ skills, problems }) => (
          <div class="cards spaced">
            {problems.map(({ folder, reason }) => (
              <Card key={folder} tone="warning" title={folder}>
                <p>{reason}</p>
              </Card>
            ))}
            {skills
              .filter((skill) =>
                `${skill.name} ${skill.description}`.toLowerCase().includes(search.value.toLowerCase()),
              )
              .map((skill) => (
                <Card
                  key={skill.name}
                  title={skill.name}
                  actions={
                    <Switch
                      label={skill.name}
                      isOn={skill.enabled}
                      onChange={(enabled) => toggle(skill.name, enabled)}
                    />
                  }
                >
                  <p class="clamp">{skill.description}</p>
                  {skill.unavailable && <p class="dim">{skill.unavailable}</p>}
                  <p class="actions">
                    <Badge>{skill.provenance}</Badge>
                    {skill.category && <Badge>{skill.category}</Badge>}
                    <Button
                      kind="quiet"
                      onClick={() => {
                        open.value = skill.name
                      }}
                    >
                      {t('Read')}
                    </Button>
                    <EditSkill name={skill.name} done={listed.reload} />
                  </p>
                </Card>
              ))}
          </div>
        )}
      </Loaded>
      {open.value !== undefined && (
        <SkillText
          name={open.value}
          onClose={() => {
            open.value = undefined
          }}
        />
      )}
    </>
  )
}

function SkillText({ name, onClose }: { name: string; onClose: () => void }) {
  const text = useResource((signal) => api.get('/api/skills/content', { name }, signal), [name])
  return (
    <Dialog title={name} class="wide" onClose={onClose}>
      <Loaded from={text}>{({ content }) => <SkillBody content={content} />}</Loaded>
    </Dialog>
  )
}

function SkillBody({ content }: { content: string }) {
  const [, head, body = content] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(content) ?? []
  return (
    <>
      {head !== undefined && <CodeBlock text={head} language="yaml" />}
      <Markdown text={body} />
    </>
  )
}

function Toolsets() {
  const listed = useResource((signal) => api.get('/api/tools/toolsets', {}, signal), [])
  const toggle = (name: string, enabled: boolean) =>
    attempt(() => api.put('/api/tools/toolsets/:name', { enabled }, { name })).then(listed.reload)
  return (
    <Loaded from={listed}>
      {({ toolsets }) => (
        <div class="cards">
          {toolsets.map(({ name, enabled, because, tools }) => (
            <Card
              key={name}
              title={name}
              actions={<Switch label={name} isOn={enabled} onChange={(isOn) => toggle(name, isOn)} />}
            >
              {because && <p class="dim">{because}</p>}
              <p class="actions">
                {tools.map((tool) => (
                  <Badge key={tool.name} tone={tool.missing ? 'warning' : ''}>
                    {tool.name}
                  </Badge>
                ))}
              </p>
            </Card>
          ))}
        </div>
      )}
    </Loaded>
  )
}
