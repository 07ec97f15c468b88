// Connects to an MCP server over stdio, lists its tools, makes the calls that stdin names, and
// prints what came back as JSON. tests/test_mcp_node.py runs it.
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const { command, args, mode, calls } = JSON.parse(await text(process.stdin));
const client = new Client(
  { name: "ago-tests", version: "1.0.0" },
  { versionNegotiation: { mode } },
);
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const { tools } = await client.listTools();
const answers = [];
for (const [name, given] of calls) {
  let progress = 0;
  const options = { onprogress: () => (progress += 1), resetTimeoutOnProgress: true };
  let result = await client.callTool({ name, arguments: given }, options);
  while (result.structuredContent.status === "pending") {
    const { tool, args: again } = result.structuredContent.call;
    result = await client.callTool({ name: tool, arguments: again }, options);
  }
  answers.push({ name, progress, text: result.content[0].text, body: result.structuredContent });
}
await client.close();
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), answers }));
