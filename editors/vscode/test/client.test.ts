// The client code under node, against a real `ago lsp`: AGO names the command, ROOT the module.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import rpc from "vscode-languageserver-protocol/node.js";

import * as ago from "../src/client.ts";

const root = process.env.ROOT ?? ".";
const file = `${root}/lib/lib.go`;
const uri = pathToFileURL(file).toString();
type Note = { edit: number; files: string[]; symbols: ago.Renamed };
const refreshed: Note[] = [];
let connection: rpc.ProtocolConnection;
let heard = (): void => {};

const send: ago.Send = (command, argument) =>
  connection.sendRequest(rpc.ExecuteCommandRequest.type, { command, arguments: [argument] });

before(async () => {
  const server = spawn(process.env.AGO ?? "ago", ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  connection = rpc.createProtocolConnection(
    new rpc.StreamMessageReader(server.stdout),
    new rpc.StreamMessageWriter(server.stdin),
  );
  connection.onNotification("ago/refresh", (note: Note) => {
    refreshed.push(note);
    heard();
  });
  connection.onRequest("workspace/applyEdit", () => ({ applied: true }));
  connection.listen();
  const folder = pathToFileURL(root).toString();
  await connection.sendRequest(rpc.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
    workspaceFolders: [{ uri: folder, name: "demo" }],
    initializationOptions: ago.OPTIONS,
  });
  await connection.sendNotification(rpc.InitializedNotification.type, {});
  const text = readFileSync(file, "utf8");
  const textDocument = { uri, languageId: "go", version: 1, text };
  await connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, { textDocument });
});

after(async () => {
  await connection.sendRequest(rpc.ShutdownRequest.type);
  await connection.sendNotification(rpc.ExitNotification.type);
});

function place(needle: string): { line: number; character: number } {
  const lines = readFileSync(file, "utf8").split("\n");
  const line = lines.findIndex((text) => text.includes(needle));
  return { line, character: (lines[line] ?? "").indexOf(needle) + needle.length };
}

test("a view has handles and is found again by its symbol", async () => {
  const found = await ago.view(send, uri, place("func Double"));
  assert.match(found.text, /n1:/);
  assert.deepEqual(await ago.view(send, uri, found.symbol), found);
});

test("a code action asks, runs, is in the history and is undone", async () => {
  const position = place("func Double");
  const actions = await connection.sendRequest(rpc.CodeActionRequest.type, {
    textDocument: { uri },
    range: { start: position, end: position },
    context: { diagnostics: [], triggerKind: 1 },
  });
  const titled = (actions ?? []).find((action) => action.title.startsWith("Add a parameter"));
  assert.ok(titled && typeof titled.command === "object");
  assert.equal(titled.command.command, "ago.ask");
  const offer = titled.command.arguments?.[0] as ago.Offer;
  assert.equal(await ago.run(send, offer, async () => undefined), undefined);
  const answers = ["times", "int", "2"];
  const told = new Promise<void>((resolve) => (heard = resolve));
  const body = await ago.run(send, offer, async () => answers.shift());
  assert.equal(body?.status, "accepted", JSON.stringify(body));
  await told;
  assert.ok(refreshed.some((note) => note.edit === body?.edit && note.files.includes(uri)));
  const [newest] = await ago.history(send, uri);
  assert.ok(newest);
  assert.deepEqual(ago.row(newest).undoable, true);
  assert.match(await ago.diff(send, uri, newest.edit), /times int/);
  const undone = await ago.undo(send, uri, newest.edit);
  assert.equal(ago.said(undone), `ago: accepted (edit ${newest.edit + 1})`);
  const [, before] = await ago.history(send, uri);
  assert.ok(before);
  assert.deepEqual(ago.row(before).detail, `undone by ${newest.edit + 1}`);
});

test("a view follows its symbol to another name", async () => {
  const { symbol } = await ago.view(send, uri, place("func Double"));
  const views = new ago.Views();
  const page = views.add(uri, symbol);
  const told = new Promise<void>((resolve) => (heard = resolve));
  const args = { sym: symbol, to: "Twice" };
  await send("ago.call", { uri, tool: "rename", args });
  await told;
  const moved = views.follow(refreshed.at(-1)?.symbols ?? {});
  assert.deepEqual(moved, [[page, "/demo/lib.Twice.go"]]);
  const shown = views.get(page);
  assert.match((await ago.view(send, uri, shown?.symbol ?? "")).text, /func Twice/);
});

test("what can't be done is said", async () => {
  assert.match(ago.said(await ago.undo(send, uri, 99)), /edit_unknown/);
  assert.match(await ago.diff(send, uri, 99), /edit_unknown/);
});
