/** ago in VS Code: the language server beside gopls, the history, views with handles, undo. */

import * as vscode from "vscode";
import { LanguageClient, RenameRequest } from "vscode-languageclient/node.js";

import * as ago from "./client.ts";

const SCHEME = "ago";
let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const command = vscode.workspace.getConfiguration("ago").get("command", "ago");
  const started = new LanguageClient(
    "ago",
    "ago",
    { command, args: ["lsp"] },
    { documentSelector: [{ scheme: "file", language: "go" }], initializationOptions: ago.OPTIONS },
  );
  client = started;
  const send: ago.Send = async (name, argument) => vscode.commands.executeCommand(name, argument);
  const history = new History(send);
  const pages = new Pages(send);
  started.onNotification("ago/refresh", (note: { symbols: ago.Renamed }) => {
    history.refresh();
    void pages.refresh(note.symbols);
  });
  context.subscriptions.push(
    vscode.window.registerTreeDataProvider("ago.history", history),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, pages),
    vscode.commands.registerCommand("ago.ask", (offer: ago.Offer) => ask(send, offer)),
    vscode.commands.registerCommand("ago.refresh", () => history.refresh()),
    vscode.commands.registerCommand("ago.rename", () => rename(started)),
    vscode.commands.registerCommand("ago.undo", (edit?: ago.Edit) => undo(send, edit)),
    vscode.commands.registerCommand("ago.show", (edit: ago.Edit) => pages.showEdit(edit)),
    vscode.commands.registerCommand("ago.view", () => pages.showView()),
  );
  await started.start();
  await vscode.commands.executeCommand("setContext", "ago.running", true);
  history.refresh();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** The file that the user is at: it says which workspace is meant. */
function here(): string {
  const editor = vscode.window.activeTextEditor;
  const open = editor?.document.uri.scheme === "file" ? editor.document.uri : undefined;
  return (open ?? vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file("/")).toString();
}

function tell(body: ago.Body | undefined): void {
  if (body?.status === "accepted") {
    vscode.window.setStatusBarMessage(ago.said(body), 5000);
  } else if (body) {
    void vscode.window.showWarningMessage(ago.said(body));
  }
}

async function ask(send: ago.Send, offer: ago.Offer): Promise<void> {
  const input: ago.Ask = async (prompt, value) => vscode.window.showInputBox({ prompt, value });
  const body = await ago.run(send, offer, input);
  if (body?.status === "accepted") {
    tell(body); // a refusal was shown by the server
  }
}

async function undo(send: ago.Send, edit?: ago.Edit): Promise<void> {
  tell(await ago.undo(send, here(), edit?.edit));
}

/** Rename by ago alone: VS Code's own command asks whichever server comes first. */
async function rename(server: LanguageClient): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return;
  }
  const position = editor.selection.active;
  const range = editor.document.getWordRangeAtPosition(position);
  const value = range ? editor.document.getText(range) : "";
  const newName = await vscode.window.showInputBox({ prompt: "New name", value });
  if (!newName) {
    return;
  }
  const edit = await server.sendRequest(RenameRequest.type, {
    textDocument: server.code2ProtocolConverter.asTextDocumentIdentifier(editor.document),
    position: server.code2ProtocolConverter.asPosition(position),
    newName,
  });
  const made = await server.protocol2CodeConverter.asWorkspaceEdit(edit);
  if (made) {
    await vscode.workspace.applyEdit(made);
  }
}

/** The accepted edits, newest first. */
class History implements vscode.TreeDataProvider<ago.Edit> {
  private readonly send: ago.Send;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(send: ago.Send) {
    this.send = send;
  }

  refresh(): void {
    this.changed.fire();
  }

  async getChildren(edit?: ago.Edit): Promise<ago.Edit[]> {
    return edit || !client?.isRunning() ? [] : ago.history(this.send, here());
  }

  getTreeItem(edit: ago.Edit): vscode.TreeItem {
    const row = ago.row(edit);
    const item = new vscode.TreeItem(row.label);
    item.description = row.detail;
    item.tooltip = `${edit.at}\n${edit.files.join("\n")}`;
    item.accessibilityInformation = { label: `${row.label}, ${row.detail}` };
    item.contextValue = row.undoable ? "undoable" : "undone";
    item.command = { command: "ago.show", title: "Show", arguments: [edit] };
    return item;
  }
}

/** Documents that show something of ago: a declaration with its handles, or the diff of an edit. */
class Pages implements vscode.TextDocumentContentProvider {
  private readonly send: ago.Send;
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly views = new ago.Views();

  constructor(send: ago.Send) {
    this.send = send;
  }

  async refresh(renamed: ago.Renamed): Promise<void> {
    for (const [old, now] of this.views.follow(renamed)) {
      await this.replace(at(old), at(now));
    }
    for (const page of this.views.pages()) {
      this.changed.fire(at(page));
    }
  }

  async provideTextDocumentContent(page: vscode.Uri): Promise<string> {
    const shown = this.views.get(page.path);
    if (shown) {
      return (await ago.view(this.send, shown.uri, shown.symbol)).text;
    }
    return ago.diff(this.send, here(), Number(page.query));
  }

  async showView(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      return;
    }
    const uri = editor.document.uri.toString();
    const { line, character } = editor.selection.active;
    const { symbol } = await ago.view(this.send, uri, { line, character });
    await this.open(at(this.views.add(uri, symbol)));
  }

  async showEdit(edit: ago.Edit): Promise<void> {
    const path = `/edit ${edit.edit}.diff`;
    await this.open(vscode.Uri.from({ scheme: SCHEME, path, query: String(edit.edit) }));
  }

  private async open(page: vscode.Uri, viewColumn = vscode.ViewColumn.Beside): Promise<void> {
    const document = await vscode.workspace.openTextDocument(page);
    const options = { viewColumn, preserveFocus: true, preview: true };
    await vscode.window.showTextDocument(document, options);
  }

  /** A tab that is looked at gets the new name; one behind others has the new text alone. */
  private async replace(old: vscode.Uri, now: vscode.Uri): Promise<void> {
    for (const group of vscode.window.tabGroups.all) {
      if (group.activeTab && shows(group.activeTab, old)) {
        await this.open(now, group.viewColumn);
        // A preview was replaced by the new page already.
        await vscode.window.tabGroups.close(group.tabs.filter((tab) => shows(tab, old)));
        this.views.forget(old.path);
      }
    }
  }
}

function shows(tab: vscode.Tab, page: vscode.Uri): boolean {
  return tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === page.toString();
}

/** The address of a page of ago. */
function at(path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path });
}
