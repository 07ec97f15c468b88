--- ago in Neovim (0.11 or newer): the language server beside gopls, and commands for what is ago's own.
local views = require('ago.views')

local M = {}

--- What `setup` takes.
M.defaults = {
  --- The server.
  cmd = { 'ago', 'lsp' },
  --- gopls answers these too: with both, lists have every entry twice.
  references = false,
  symbols = false,
}

--- The Go buffer that the current window is about: its own, or the one that a window of ago was opened from.
function M.home()
  local from = vim.b.ago_from
  return from and vim.api.nvim_buf_is_valid(from) and from or vim.api.nvim_get_current_buf()
end

--- The client that serves a buffer, nil (and a message) without one.
function M.client(buf)
  local client = vim.lsp.get_clients({ bufnr = buf, name = 'ago' })[1]
  if not client then
    vim.notify('ago: this is no file of a Go workspace', vim.log.levels.WARN)
  end
  return client
end

--- Call a tool; `done` gets its response.
function M.call(tool, args, done, extra)
  local home = M.home()
  local client = M.client(home)
  if not client then
    return
  end
  local call = vim.tbl_extend('force', { uri = vim.uri_from_bufnr(home), tool = tool, args = args }, extra or {})
  M.send(client, 'ago.call', call, done)
end

--- Have the server run one of its commands.
function M.send(client, command, argument, done)
  local params = { command = command, arguments = { argument } }
  client:request('workspace/executeCommand', params, function(err, body)
    if err then
      vim.notify('ago: ' .. err.message, vim.log.levels.ERROR)
    elseif done then
      done(body)
    end
  end)
end

--- Say what came of an edit.
function M.tell(body)
  if body.status == 'accepted' then
    local number = body.edit and ('edit ' .. body.edit) or 'unsaved buffers changed'
    vim.notify(('ago: accepted (%s)'):format(number))
  else
    local why = body.detail or body.message or ''
    vim.notify(('ago: %s %s'):format(body.reason or body.key or body.status, why), vim.log.levels.WARN)
  end
end

-- Asks the questions of a code action one after the other, then has it run.
local function ask(command, context)
  local payload = command.arguments[1]
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local answers = vim.empty_dict()
  local function next_question(index)
    local question = payload.questions[index]
    if not question then
      local run = vim.tbl_extend('force', payload, { answers = answers })
      return M.send(client, 'ago.run', run, M.tell)
    end
    vim.ui.input({ prompt = question.prompt .. ': ', default = question.default }, function(answer)
      if answer and (answer ~= '' or question.optional) then
        answers[question.arg] = answer
        next_question(index + 1)
      end
    end)
  end
  next_question(1)
end

-- Files are other than they were: unchanged buffers are read again, views and the history anew.
local function refresh(_, note, context)
  local moved = {}
  for _, uri in ipairs(note.files) do
    moved[vim.uri_to_fname(uri)] = true
  end
  local client = vim.lsp.get_client_by_id(context.client_id)
  for buf in pairs(client and client.attached_buffers or {}) do
    local name = vim.uv.fs_realpath(vim.api.nvim_buf_get_name(buf))
    if name and moved[name] then
      vim.bo[buf].autoread = true
      vim.cmd.checktime(buf)
    end
  end
  views.refresh(note.symbols or {})
end

-- A buffer that was typed in is never read again: the server sends it what others wrote.
local function keep_what_was_typed(buf)
  vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    callback = function()
      vim.v.fcs_choice = vim.bo[buf].modified and '' or 'reload'
    end,
  })
end

local function find_root(buf, on_dir)
  local root = vim.fs.root(buf, 'go.work') or vim.fs.root(buf, 'go.mod')
  if root then
    on_dir(root)
  end
end

local function add_commands()
  local function command(name, run, options)
    vim.api.nvim_create_user_command(name, run, options or {})
  end
  command('AgoView', function()
    views.view(M)
  end, { desc = 'ago: the declaration at the cursor with its handles' })
  command('AgoLog', function()
    views.log(M)
  end, { desc = 'ago: the accepted edits; <CR> shows one, u undoes it' })
  command('AgoUndo', function(given)
    M.call('undo', given.args ~= '' and { edit = tonumber(given.args) } or vim.empty_dict(), M.tell)
  end, { nargs = '?', desc = 'ago: undo an edit, the last one by default' })
  command('AgoRename', function(given)
    vim.lsp.buf.rename(given.args ~= '' and given.args or nil, { name = 'ago' })
  end, { nargs = '?', desc = 'ago: rename what is at the cursor' })
end

--- Start the server for Go files, and make the commands.
function M.setup(options)
  local wanted = vim.tbl_extend('force', M.defaults, options or {})
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  -- gopls knows no other, and two servers of one buffer should count alike.
  capabilities.general.positionEncodings = { 'utf-16' }
  vim.lsp.config('ago', {
    cmd = wanted.cmd,
    filetypes = { 'go' },
    root_dir = find_root,
    capabilities = capabilities,
    init_options = { reloads = true, asks = true },
    commands = { ['ago.ask'] = ask },
    handlers = { ['ago/refresh'] = refresh },
    on_init = function(client)
      local serves = client.server_capabilities
      serves.referencesProvider = wanted.references and serves.referencesProvider or nil
      serves.workspaceSymbolProvider = wanted.symbols and serves.workspaceSymbolProvider or nil
    end,
    on_attach = function(_, buf)
      keep_what_was_typed(buf)
    end,
  })
  vim.lsp.enable('ago')
  if vim.v.vim_did_enter == 0 then
    -- What the command line opened may be there already, and only after the start does `enable` look.
    vim.api.nvim_create_autocmd('VimEnter', {
      once = true,
      callback = function()
        vim.lsp.enable('ago')
      end,
    })
  end
  add_commands()
end

return M
