// node bridge.mjs PORT COMMAND [ARGS…]: streamable HTTP in front of an MCP server on stdio.
// The conformance suite speaks HTTP only. Messages pass unchanged, so it judges the server's own bytes. One child
// per session; requests without a session share one, as the stateless protocol has none.
import http from 'node:http';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import readline from 'node:readline';

const [port, command, ...args] = process.argv.slice(2);
const sessions = new Map();
let stateless;

function open() {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const session = { id: randomUUID(), child, waiting: new Map(), streams: new Set() };
  readline.createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    const key = String(message.id);
    const answer = message.id !== undefined && !message.method && session.waiting.get(key);
    if (answer) {
      session.waiting.delete(key);
      answer(line);
    } else {
      const [stream] = session.streams;
      stream?.write(`event: message\ndata: ${line}\n\n`);
    }
  });
  sessions.set(session.id, session);
  return session;
}

function isLocal(request) {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '');
  const { origin } = request.headers;
  const local = ['localhost', '127.0.0.1', '[::1]'];
  return local.includes(host) && (!origin || local.includes(new URL(origin).hostname));
}

function post(request, response, body) {
  let message;
  try {
    message = JSON.parse(body);
  } catch {
    return response.writeHead(400).end();
  }
  const named = request.headers['mcp-session-id'];
  let session = sessions.get(named);
  if (!session && message.method === 'initialize') session = open();
  if (!session && !named) session = stateless ??= open();
  if (!session) return response.writeHead(404).end();
  if (message.id === undefined || !message.method) {
    session.child.stdin.write(body + '\n');
    return response.writeHead(202).end();
  }
  session.waiting.set(String(message.id), (line) => {
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': session.id });
    response.end(line);
  });
  session.child.stdin.write(body + '\n');
}

http
  .createServer((request, response) => {
    if (!isLocal(request)) return response.writeHead(403).end();
    const session = sessions.get(request.headers['mcp-session-id']);
    if (request.method === 'GET') {
      if (!session) return response.writeHead(400).end();
      response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': session.id });
      response.write(':ok\n\n');
      session.streams.add(response);
      request.on('close', () => session.streams.delete(response));
    } else if (request.method === 'DELETE') {
      session?.child.stdin.end();
      sessions.delete(session?.id);
      response.writeHead(200).end();
    } else {
      let body = '';
      request.on('data', (chunk) => (body += chunk)).on('end', () => post(request, response, body));
    }
  })
  .listen(Number(port), '127.0.0.1', () => console.log('ready'));
