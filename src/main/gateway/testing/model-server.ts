import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a model answers: words, calls of tools, or words after which it says nothing more until it is hung up on. */
export type ModelAnswer =
  | { readonly text: string }
  | { readonly calls: readonly { readonly tool: string; readonly arguments: unknown }[] }
  | { readonly hangsAfter: string }

/** A request for a chat completion, as far as it is looked at. */
export interface ModelRequest {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}

/** A model on the loopback that speaks OpenAI's chat completions, streamed. */
export interface ModelServer {
  readonly baseUrl: string
  readonly requests: readonly ModelRequest[]
  /** How many answers were hung up on before their end. */
  readonly hungUp: () => number
  stop(): Promise<void>
}

/** The tokens that the answer to the request of this number (from 1 on) says it took. */
export const tokensOfRequest = (number: number) => ({ input: 1000 * number, output: 10 })

/** @param answer what is answered to a request. */
export async function startModelServer(answer: (request: ModelRequest) => ModelAnswer): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  let hungUp = 0
  const server = createServer((request, response) => {
    response.once('close', () => {
      if (!response.writableEnded) hungUp += 1
    })
    void bodyOf(request).then((body) => {
      const asked: ModelRequest = JSON.parse(body)
      requests.push(asked)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      write(response, answer(asked), requests.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    baseUrl: `http://127.0.0.1:${isAddress(address) ? address.port : 0}/v1`,
    requests,
    hungUp: () => hungUp,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const isAddress = (address: AddressInfo | string | null): address is AddressInfo => typeof address === 'object'

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function write(response: ServerResponse, answer: ModelAnswer, number: number): void {
  const send = (chunk: unknown) => response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  const chunk = (delta: unknown, finish: string | null = null) => ({
    id: `answer-${number}`,
    object: 'chat.completion.chunk',
    created: 1,
    model: 'mock',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const words = 'text' in answer ? answer.text : 'hangsAfter' in answer ? answer.hangsAfter : ''
  for (const word of words.split(/(?<= )/)) send(chunk({ role: 'assistant', content: word }))
  if ('hangsAfter' in answer) return
  const calls = 'calls' in answer ? answer.calls : []
  for (const [index, { tool, arguments: given }] of calls.entries()) {
    const called = { name: tool, arguments: JSON.stringify(given) }
    send(chunk({ tool_calls: [{ index, id: `call-${number}-${index}`, type: 'function', function: called }] }))
  }
  send(chunk({}, calls.length === 0 ? 'stop' : 'tool_calls'))
  const { input, output } = tokensOfRequest(number)
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  send({ ...chunk({}), choices: [], usage })
  response.end('data: [DONE]\n\n')
}
