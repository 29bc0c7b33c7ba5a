-- Steps for the tests in Neovim. They wait for a condition, never for a fixed time.
local M = {}
local started, failures = vim.uv.hrtime(), 0
local scale = tonumber(vim.env.WAIT_SCALE or "1")

function M.report(name, passed, extra)
  if not passed then failures = failures + 1 end
  local ms = math.floor((vim.uv.hrtime() - started) / 1e6)
  io.stdout:write(("%s %s (%d ms) %s\n"):format(passed and "ok  " or "FAIL", name, ms, not passed and extra ~= nil and tostring(extra) or ""))
  -- Later steps would pass or fail for the wrong reason.
  if not passed then error("stopped at the first step that failed", 0) end
end

-- wait passes as soon as the condition returns something, and returns that.
function M.wait(name, condition, seconds)
  local found
  local held = vim.wait((seconds or 20) * 1000 * scale, function()
    found = condition()
    return found
  end, 10)
  M.report(name, held)
  return found
end

function M.text(buffer) return table.concat(vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false), "\n") end

function M.has(needle, buffer) return M.text(buffer):find(needle, 1, true) ~= nil end

-- line_of returns the first occurrence of a text in a buffer: the line from 1, the column from 0.
function M.line_of(buffer, needle)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local column = line:find(needle, 1, true)
    if column then return number, column - 1 end
  end
  M.report("the buffer has " .. needle, false, M.text(buffer))
end

function M.put_cursor(needle, column)
  local number, start = M.line_of(0, needle)
  vim.api.nvim_win_set_cursor(0, { number, start + (column or 0) })
end

-- floating waits for a floating window and returns it.
function M.floating(name)
  return M.wait(name, function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then return window end
    end
  end)
end

-- hover_text opens a hover as a user would and returns the text of its window.
function M.hover_text(name)
  vim.lsp.buf.hover()
  local window = M.floating(name)
  local text = M.text(vim.api.nvim_win_get_buf(window))
  vim.api.nvim_win_close(window, true)
  return text
end

-- choose opens a menu (the code actions', unless open opens another) and picks the first entry that matches.
function M.choose(name, pattern, open)
  local menu
  local original = vim.ui.select
  vim.ui.select = function(items, options, pick)
    menu = vim.tbl_map(function(item) return (options.format_item or tostring)(item) end, items)
    for number, title in ipairs(menu) do
      if title:find(pattern) then return pick(items[number], number) end
    end
    pick(nil, nil)
  end
  if open then open() else vim.lsp.buf.code_action() end
  M.wait(name, function() return menu ~= nil end)
  vim.ui.select = original
  local found = vim.iter(menu):any(function(title) return title:find(pattern) ~= nil end)
  M.report(name .. " offers " .. pattern, found, vim.inspect(menu))
end

-- picks answers the next menus with the entries that match these patterns, in order, and returns the list of prompts, which grows as
-- menus open. Without patterns it restores Neovim's own menu.
local select = vim.ui.select
function M.picks(patterns)
  local prompts = {}
  vim.ui.select = not patterns and select or function(items, options, pick)
    prompts[#prompts + 1] = options.prompt
    local pattern = patterns[#prompts]
    for number, item in ipairs(items) do
      if (options.format_item or tostring)(item):find(pattern) then return pick(item, number) end
    end
    M.report("the menu offers " .. tostring(pattern), false, vim.inspect(items))
  end
  return prompts
end

-- typed_since ends an undo block, as the user's next key would.
function M.typed_since() vim.cmd("let &undolevels = &undolevels") end

-- ask runs a subcommand of :Lacuna on the question in the note.
function M.ask(needle, words)
  M.typed_since()
  M.put_cursor(needle, 5)
  vim.cmd("Lacuna " .. words)
end

-- ended waits until no command is running.
function M.ended(client)
  M.wait("the command has ended", function()
    return not vim.iter(pairs(client.requests)):any(function(_, r) return r.method == "workspace/executeCommand" end)
  end, 60)
end

-- asked returns the number of calls of the scripted model so far, from its log.
function M.asked() return #vim.fn.readfile(vim.env.OUT .. "/model.log") end

-- undo undoes a command's edit after the command has ended, as a user does who reads the answer first.
function M.undo(client)
  M.ended(client)
  vim.cmd("silent undo")
end

-- request sends a request for the current buffer and returns the reply.
function M.request(client, method, params)
  local reply, problem
  client:request(method, params, function(err, result) reply, problem = result == nil and vim.NIL or result, err end, 0)
  M.wait(method .. " is answered", function() return reply ~= nil or problem ~= nil end)
  M.report(method .. " succeeds", problem == nil, problem and vim.inspect(problem))
  return reply ~= vim.NIL and reply or nil
end

-- messages collects notifications, for steps that look for them.
M.messages = {}
vim.notify = function(text) io.stdout:write("said: " .. text .. "\n") M.messages[#M.messages + 1] = text end
function M.notified(needle)
  return vim.iter(M.messages):any(function(text) return text:find(needle, 1, true) ~= nil end)
end

-- run runs the test and exits Neovim with its result.
function M.run(main)
  vim.schedule(function()
    local finished, problem = xpcall(main, function(e) return type(e) == "string" and e or debug.traceback(vim.inspect(e)) end)
    if not finished then
      failures = math.max(failures, 1)
      io.stdout:write(tostring(problem) .. "\n" .. table.concat(M.messages, "\n") .. "\n")
    end
    io.stdout:write(failures == 0 and "PASS\n" or "FAILED\n")
    vim.cmd(failures == 0 and "qa!" or "cq!")
  end)
end

return M
