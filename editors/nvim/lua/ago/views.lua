--- Windows of ago: the view of a declaration with its handles, and the history.
local M = {}

-- Buffers that show something of ago, with the function that fills each anew.
local shown = {}

-- The buffer of exactly that name (`bufnr` takes a part of one too), nil without one.
local function find(name)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buf) == name then
      return buf
    end
  end
end

-- Give a buffer another name, unless another one has it; Neovim keeps the old one in a buffer, which goes.
local function call_it(buf, name)
  local old = vim.api.nvim_buf_get_name(buf)
  if find(name) == nil then
    vim.api.nvim_buf_set_name(buf, name)
    local left = find(old)
    if left then
      vim.api.nvim_buf_delete(left, { force = true })
    end
  end
end

-- A scratch buffer in a split, found again by its name; commands in it are about the buffer `from`.
local function open(name, filetype, position, from)
  local buf = find(name)
  if buf == nil then
    buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buf, name)
    vim.bo[buf].bufhidden = 'wipe'
    vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, nowait = true })
  end
  vim.b[buf].ago_from = from
  vim.bo[buf].filetype = filetype
  if vim.fn.bufwinid(buf) < 0 then
    vim.cmd(position)
    vim.api.nvim_win_set_buf(0, buf)
  end
  return buf
end

local function fill(buf, lines)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
end

--- Fill every open window of ago anew; `symbols` has what renamed ones are called now.
function M.refresh(symbols)
  for buf, again in pairs(shown) do
    if vim.api.nvim_buf_is_valid(buf) then
      again(symbols)
    else
      shown[buf] = nil
    end
  end
end

--- Show the declaration at the cursor as agents see it: its text with the handles of statements.
function M.view(ago)
  local from = vim.api.nvim_get_current_buf()
  local client = ago.client(from)
  if not client then
    return
  end
  local uri = vim.uri_from_bufnr(from)
  local cursor = vim.lsp.util.make_position_params(0, client.offset_encoding).position
  ago.call('view', vim.empty_dict(), function(body)
    if body.status ~= 'ok' then
      return ago.tell(body)
    end
    local symbol = body.symbol or body.resolved or 'view'
    local buf = open('ago://view/' .. symbol, 'go', 'vertical rightbelow split', from)
    local function put(found)
      if found.status == 'ok' then
        return fill(buf, vim.split(vim.trim(found.text), '\n'))
      end
      local now = table.concat(found.did_you_mean or {}, ', ')
      fill(buf, { ('%s %s'):format(found.reason or found.key, symbol), now ~= '' and 'now perhaps ' .. now or '' })
    end
    put(body)
    shown[buf] = function(symbols)
      if symbols[symbol] then
        symbol = symbols[symbol]
        call_it(buf, 'ago://view/' .. symbol)
      end
      ago.send(client, 'ago.call', { uri = uri, tool = 'view', args = { sym = symbol } }, put)
    end
  end, { position = cursor })
end

local function edit_at(buf)
  local line = vim.api.nvim_win_get_cursor(0)[1]
  return vim.b[buf].ago_edits[line]
end

local function rows(body)
  local lines, edits = {}, {}
  for _, edit in ipairs(body.edits or {}) do
    local state = edit.undone_by and ('undone by ' .. edit.undone_by) or edit.confirmation
    lines[#lines + 1] = ('%4d  %s  %s  [%s]'):format(edit.edit, edit.at, edit.title, state)
    edits[#edits + 1] = edit.edit
  end
  return #lines > 0 and lines or { 'no edits yet' }, edits
end

--- Show the accepted edits, newest first: <CR> shows the diff of one, u undoes it.
function M.log(ago)
  local from = ago.home()
  local client = ago.client(from)
  if not client then
    return
  end
  local uri = vim.uri_from_bufnr(from)
  local function call(tool, args, done)
    ago.send(client, 'ago.call', { uri = uri, tool = tool, args = args }, done)
  end
  call('log', vim.empty_dict(), function(body)
    local buf = open('ago://log', 'agolog', 'botright 12split', from)
    local function put(found)
      local lines, edits = rows(found)
      vim.b[buf].ago_edits = edits
      fill(buf, lines)
    end
    put(body)
    shown[buf] = function()
      call('log', vim.empty_dict(), put)
    end
    local function map(key, what, run)
      vim.keymap.set('n', key, function()
        local edit = edit_at(buf)
        if edit then
          run(edit)
        end
      end, { buffer = buf, nowait = true, desc = what })
    end
    map('u', 'ago: undo this edit', function(edit)
      call('undo', { edit = edit }, ago.tell)
    end)
    map('<CR>', 'ago: show this edit', function(edit)
      call('show', { edit = edit }, function(found)
        if found.status ~= 'ok' then
          return ago.tell(found)
        end
        local diff = open('ago://edit/' .. edit, 'diff', 'vertical rightbelow split', from)
        fill(diff, vim.split(vim.trim(found.diff), '\n'))
      end)
    end)
  end)
end

return M
