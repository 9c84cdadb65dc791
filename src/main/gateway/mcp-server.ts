import type { Readable, Writable } from 'node:stream'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js'
import { fail, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { INSTRUCTIONS, mcpTools } from './mcp-tools.ts'
import { connectToTools, type CallOptions, type ToolConnection } from './tool-client.ts'

/** Where the owner of the home listens, and who calls. Absent where the environment did not say. */
interface BridgeAddress {
  readonly socket: string | undefined
  readonly token: string | undefined
}

/**
 * The three tools over MCP on stdio, for one agent, until its input ends. Every call is passed on to the owner of the home
 * with the agent's token; what cannot be passed on, a dead token among it, is the error of that call, so that the agent
 * can read why.
 */
export async function serveMcp(address: BridgeAddress, input: Readable, output: Writable): Promise<void> {
  const tools = mcpTools()
  const owner = reachOwner(address)
  const server = new Server(
    { name: 'treeline', title: 'Treeline', version: '0.1.0' },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    if (!tools.some(({ name }) => name === params.name)) {
      const names = tools.map(({ name }) => name).join(', ')
      throw new McpError(
        ErrorCode.InvalidParams,
        `There is no tool ${JSON.stringify(params.name)}: there are ${names}.`,
      )
    }
    const warnings: string[] = []
    const { _meta: meta } = params
    const progressToken = meta?.progressToken
    let steps = 0
    const result = await owner.call(params.name, params.arguments ?? {}, {
      signal: extra.signal,
      onWarning: (sentence) => warnings.push(sentence),
      onProgress({ sentence }) {
        if (progressToken === undefined) return
        steps += 1
        const news = { progressToken, progress: steps, message: sentence }
        void extra.sendNotification({ method: 'notifications/progress', params: news }).catch(() => undefined)
      },
    })
    return toolResult(result, warnings)
  })
  const ended = new Promise<void>((resolve) => {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has only this way
    server.onclose = resolve
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve())
    // An agent that has gone away reads no more answers.
    output.once('error', () => resolve())
  })
  await server.connect(new StdioServerTransport(input, output))
  await ended
  owner.close()
  await server.close()
}

/** A tool's answer in MCP's terms: its JSON as text for every agent, and as it is for those that take it. */
function toolResult(result: Result<unknown>, warnings: readonly string[]): CallToolResult {
  if (!result.ok) {
    const { code, message, field } = result.error
    const about = { code, message, ...(field !== undefined && { field }) }
    return {
      isError: true,
      content: [{ type: 'text', text: `${code}: ${message}` }],
      structuredContent: { error: about },
    }
  }
  const texts = [JSON.stringify(result.value), ...warnings.map((sentence) => `Note: ${sentence}`)]
  return {
    content: texts.map((text) => ({ type: 'text', text })),
    structuredContent: { ...(typeof result.value === 'object' && result.value) },
  }
}

/** The owner, connected to when it is first called, and again after it was lost. */
function reachOwner({ socket, token }: BridgeAddress): {
  call(tool: string, request: unknown, options: CallOptions): Promise<Result<unknown>>
  close(): void
} {
  let connecting: Promise<Result<ToolConnection>> | undefined
  const connected = async (): Promise<Result<ToolConnection>> => {
    if (!socket || !token) {
      const message =
        'TREELINE_SOCKET and TREELINE_TOKEN are not both set, so there is nobody to call. Treeline sets them for its agents.'
      return fail(toolError('owner_unreachable', message))
    }
    connecting ??= connectToTools(socket, token)
    const connection = await connecting
    if (!connection.ok) connecting = undefined
    return connection
  }
  return {
    async call(tool, request, options) {
      const connection = await connected()
      if (!connection.ok) return connection
      const answer = await connection.value.call(tool, { request }, options)
      if (!answer.ok && answer.error.code === 'owner_unreachable') connecting = undefined
      return answer
    },
    close() {
      void connecting?.then((connection) => connection.ok && connection.value.close())
    },
  }
}
