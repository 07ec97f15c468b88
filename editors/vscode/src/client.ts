/** What the extension asks of `ago lsp`, and what it makes of the answers: no editor is needed here. */

export const OPTIONS = { reloads: true, asks: true };

/** A response of a tool. */
export type Body = { status: string } & Record<string, unknown>;

/** Runs a command of the server. */
export type Send = (command: string, argument: object) => Promise<Body>;

export interface Question {
  arg: string;
  prompt: string;
  default: string;
  optional: boolean;
}

/** A code action that asks first: the argument of `ago.ask`. */
export interface Offer {
  questions: Question[];
}

/** Asks for a line of text; undefined when the user gives up. */
export type Ask = (prompt: string, initial: string) => Promise<string | undefined>;

export interface Edit {
  edit: number;
  at: string;
  title: string;
  files: string[];
  confirmation: string;
  undone_by?: number;
}

/** The history, newest first. */
export async function history(send: Send, uri: string): Promise<Edit[]> {
  const body = await send("ago.call", { uri, tool: "log", args: {} });
  return (body.edits as Edit[] | undefined) ?? [];
}

/** How an edit is shown in a list. */
export function row(edit: Edit): { label: string; detail: string; undoable: boolean } {
  const undone = edit.undone_by !== undefined;
  const state = undone ? `undone by ${edit.undone_by}` : edit.confirmation;
  return { label: `${edit.edit}  ${edit.title}`, detail: state, undoable: !undone };
}

/** The diff of an edit. */
export async function diff(send: Send, uri: string, edit: number): Promise<string> {
  return text(await send("ago.call", { uri, tool: "show", args: { edit } }), "diff");
}

/** Take an edit back. */
export function undo(send: Send, uri: string, edit?: number): Promise<Body> {
  return send("ago.call", { uri, tool: "undo", args: edit === undefined ? {} : { edit } });
}

/** A declaration with the handles that ops take: by the position of the cursor, or by its symbol. */
export async function view(
  send: Send,
  uri: string,
  place: { line: number; character: number } | string,
): Promise<{ symbol: string; text: string }> {
  const where = typeof place === "string" ? { args: { sym: place } } : { position: place };
  const body = await send("ago.call", { uri, tool: "view", ...where });
  return { symbol: String(body.symbol ?? body.resolved ?? "view"), text: text(body, "text") };
}

/** What `ago/refresh` says of symbols: old ones and what they are called now. */
export type Renamed = Record<string, string>;

/** What pages show a view of: the symbol, and a file that says which workspace is meant. */
export class Views {
  private readonly shown = new Map<string, { uri: string; symbol: string }>();

  /** The name of the page of a symbol. */
  static page(symbol: string): string {
    return `/${symbol}.go`;
  }

  /** Remember a page; its name. */
  add(uri: string, symbol: string): string {
    const page = Views.page(symbol);
    this.shown.set(page, { uri, symbol });
    return page;
  }

  get(page: string): { uri: string; symbol: string } | undefined {
    return this.shown.get(page);
  }

  pages(): string[] {
    return [...this.shown.keys()];
  }

  /** Pages of renamed symbols show these by their new names; [old, new] names of these pages. */
  follow(renamed: Renamed): [string, string][] {
    return [...this.shown].flatMap(([page, { uri, symbol }]): [string, string][] => {
      const now = renamed[symbol];
      if (now === undefined) {
        return [];
      }
      this.shown.set(page, { uri, symbol: now });
      return [[page, this.add(uri, now)]];
    });
  }

  /** A page is closed. */
  forget(page: string): void {
    this.shown.delete(page);
  }
}

/** Ask the questions of an offer, then run it; undefined when the user gives up. */
export async function run(send: Send, offer: Offer, ask: Ask): Promise<Body | undefined> {
  const answers: Record<string, string> = {};
  for (const question of offer.questions) {
    const answer = await ask(question.prompt, question.default);
    if (answer === undefined || (answer === "" && !question.optional)) {
      return undefined;
    }
    answers[question.arg] = answer;
  }
  return send("ago.run", { ...offer, answers });
}

/** What a response says, in a sentence. */
export function said(body: Body): string {
  if (body.status === "accepted") {
    return body.edit === undefined ? "ago: accepted" : `ago: accepted (edit ${body.edit})`;
  }
  return `ago: ${body.reason ?? body.key ?? body.status} ${body.detail ?? body.message ?? ""}`.trim();
}

function text(body: Body, key: string): string {
  const found = body[key];
  return typeof found === "string" ? found : said(body);
}
