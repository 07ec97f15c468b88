-- Run by tests/test_nvim.py in a headless Neovim: nvim -l run.lua PLUGIN AGO. Prints one JSON object
-- a step; the working folder is the module.
local plugin, ago_bin = arg[1], arg[2]
vim.opt.runtimepath:prepend(plugin)
vim.o.swapfile = false
vim.cmd('filetype on')
local told = {}
vim.notify = function(text)
  told[#told + 1] = text
end
local ago = require('ago')
ago.setup({ cmd = { ago_bin, 'lsp' }, references = true })

local function say(step, value)
  io.stdout:write(vim.json.encode({ step = step, value = value }) .. '\n')
end
local function text(name)
  return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr(name), 0, -1, false), '\n')
end
local function wait(what, holds)
  if not vim.wait(60000, holds, 20) then
    say('timeout', { what = what, told = told })
    vim.cmd('qall!')
  end
end
local function at(needle)
  vim.fn.cursor(1, 1)
  vim.fn.search(needle, 'cW')
end
local function agent(...)
  return vim.system({ ago_bin, ... }, { text = true }):wait()
end

vim.cmd.edit('lib/lib.go')
wait('attach', function()
  return #vim.lsp.get_clients({ bufnr = 0, name = 'ago' }) == 1
end)

at('Double(')
vim.cmd('AgoRename Twice')
wait('rename', function()
  return text('lib.go'):find('func Twice') ~= nil
end)
say('rename', { modified = vim.bo.modified, main = vim.fn.readfile('main.go') })

at('Twice(')
vim.ui.input = function(question, done)
  local answers = { ['Name of the parameter: '] = 'times', ['Its type: '] = 'int', ['Argument for existing calls: '] = '2' }
  done(answers[question.prompt])
end
vim.lsp.buf.code_action({
  apply = true,
  filter = function(action)
    return action.title:find('Add a parameter') ~= nil
  end,
})
wait('code action', function()
  return text('lib.go'):find('times int') ~= nil
end)
say('agent', agent('rename', 'lib.Tail', 'Rest').code)
wait('agent edit', function()
  return text('lib.go'):find('func Rest') ~= nil
end)

vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// typed, not saved' })
say('agent again', agent('rename', 'lib.Limit', 'Most').code)
wait('merge', function()
  return text('lib.go'):find('Most') ~= nil
end)
say('merged', {
  first = vim.api.nvim_buf_get_lines(0, 0, 1, false)[1],
  modified = vim.bo.modified,
  disk = vim.fn.readfile('lib/lib.go')[1],
})

at('Rest(')
vim.cmd('AgoRename Others')
wait('rename with unsaved text', function()
  return text('lib.go'):find('func Others') ~= nil
end)
say('unsaved', {
  disk = table.concat(vim.fn.readfile('lib/lib.go'), '\n'):find('Others') ~= nil,
  typed = text('lib.go'):find('// typed, not saved', 1, true) ~= nil,
})
vim.cmd('silent wall!')

at('Twice(')
vim.cmd('AgoView')
wait('view', function()
  return vim.api.nvim_buf_get_name(0):find('ago://view') ~= nil
end)
local view = vim.api.nvim_get_current_buf()
say('view', vim.api.nvim_buf_get_lines(view, 0, -1, false))
-- From the view: its commands are about the file that it was opened from.
vim.cmd('AgoLog')
wait('log', function()
  return vim.api.nvim_buf_get_name(0) == 'ago://log'
end)
say('log', vim.api.nvim_buf_get_lines(0, 0, -1, false))
vim.fn.cursor(1, 1)
vim.api.nvim_feedkeys('u', 'x', false)
wait('undo', function()
  return text('ago://log'):find('undo of edit') ~= nil
end)
say('undone', text('lib.go'):find('Limit') ~= nil)
-- The view follows its declaration to another name.
agent('rename', 'lib.Twice', 'TwiceOver')
wait('view that follows', function()
  return vim.api.nvim_buf_get_lines(view, 0, 1, false)[1]:find('func TwiceOver') ~= nil
end)
say('followed', vim.tbl_filter(function(name)
  return name:find('ago://view', 1, true) ~= nil
end, vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())))
say('action', { told = told })
say('references', #vim.lsp.get_clients({ name = 'ago' }))
vim.cmd('qall!')
