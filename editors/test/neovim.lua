-- Neovim end to end, headless, with the configuration users copy:
--   LACUNA=program WORKSPACE=copy-of-the-clinic nvim --clean --headless -u neovim.lua
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local started, failures = vim.uv.hrtime(), 0

local function report(name, passed, extra)
  if not passed then failures = failures + 1 end
  local ms = math.floor((vim.uv.hrtime() - started) / 1e6)
  io.stdout:write(("%s %s (%d ms) %s\n"):format(passed and "ok  " or "FAIL", name, ms, extra and tostring(extra) or ""))
  -- What follows a failed step would pass or fail for the wrong reason.
  if not passed then error("stopped at the first step that failed", 0) end
end

local function wait(name, condition, seconds)
  local scale = tonumber(vim.env.WAIT_SCALE or "1")
  report(name, (vim.wait((seconds or 20) * 1000 * scale, condition, 10)))
end

local config = dofile(here .. "/../neovim/lacuna.lua")
config.cmd[1] = vim.env.LACUNA
vim.lsp.config("lacuna", config)
vim.lsp.enable("lacuna")
vim.o.swapfile = false
dofile(here .. "/../neovim/commands.lua")

-- A hover is asked while the command waits for this editor to apply its edit, so the command is certainly running.
local asked_meanwhile
local apply = vim.lsp.handlers["workspace/applyEdit"]
vim.lsp.handlers["workspace/applyEdit"] = function(err, result, context, ...)
  local reply
  vim.lsp.get_client_by_id(context.client_id):request("textDocument/hover", asked_meanwhile, function(_, hover) reply = hover or false end)
  wait("hover while the command runs", function() return reply ~= nil end, 5)
  report("that hover has text", reply and reply.contents.value:find("tirzepatide", 1, true) ~= nil)
  return apply(err, result, context, ...)
end

local function lines(buffer) return vim.api.nvim_buf_get_lines(buffer, 0, -1, false) end
local function text(buffer) return table.concat(lines(buffer), "\n") end

local function line_of(buffer, needle)
  for number, line in ipairs(lines(buffer)) do
    if line:find(needle, 1, true) then return number, line:find(needle, 1, true) - 1 end
  end
  report("the note has " .. needle, false, text(buffer))
end

local function put_cursor(buffer, needle, column)
  local number, start = line_of(buffer, needle)
  vim.api.nvim_win_set_cursor(0, { number, start + (column or 0) })
end

-- hover_text asks for the hover a person would see and returns the text of its window.
local function hover_text(name)
  vim.lsp.buf.hover()
  local window
  wait(name, function()
    for _, w in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(w).relative ~= "" then window = w end
    end
    return window ~= nil
  end)
  local shown = text(vim.api.nvim_win_get_buf(window))
  vim.api.nvim_win_close(window, true)
  return shown
end

-- choose opens a menu, that of the code actions unless open does something else, and picks the first entry that matches.
local function choose(name, pattern, open)
  local menu
  vim.ui.select = function(items, options, pick)
    menu = vim.tbl_map(function(item) return (options.format_item or tostring)(item) end, items)
    for number, title in ipairs(menu) do
      if title:find(pattern) then return pick(items[number], number) end
    end
    pick(nil, nil)
  end
  if open then open() else vim.lsp.buf.code_action() end
  wait(name, function() return menu ~= nil end)
  local found = vim.iter(menu):any(function(title) return title:find(pattern) ~= nil end)
  report(name .. " offers " .. pattern, found, vim.inspect(menu))
end

local question = "What is the usual dose of apixaban in atrial fibrillation?"
local sentence = "The usual dose of apixaban in atrial fibrillation is 5 mg twice a day."
local unknown = "What is the starting dose of tirzepatide"

local function main()
  vim.cmd.edit(vim.env.WORKSPACE .. "/visit.md")
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].filetype = "markdown"
  wait("attached", function() return #vim.lsp.get_clients({ bufnr = buffer }) == 1 end)
  local client = vim.lsp.get_clients({ bufnr = buffer })[1]
  report("the workspace is found", vim.uv.fs_realpath(client.config.root_dir or "") == vim.uv.fs_realpath(vim.env.WORKSPACE), client.config.root_dir)

  local function gaps(needle)
    local number = line_of(buffer, needle)
    return vim.tbl_filter(function(d) return d.source == "lacuna" and tostring(d.code):find("^missing%-") end,
      vim.diagnostic.get(buffer, { lnum = number - 1 }))
  end
  wait("the gap of an unknown medicine is shown", function() return #gaps(unknown) > 0 end, 60)
  report("it is named", gaps(unknown)[1].message:find("tirzepatide", 1, true) ~= nil, gaps(unknown)[1].message)
  put_cursor(buffer, unknown, 30)
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local explained = hover_text("hover on the question")
  report("it shows the gap", explained:find("Nothing found.*tirzepatide") ~= nil, explained)

  local original = text(buffer)
  asked_meanwhile = params
  put_cursor(buffer, question, 5)
  choose("the menu", "^Answer this question")
  wait("the answer is in the note", function() return text(buffer):find(sentence, 1, true) ~= nil end)
  report("below its question", text(buffer):find(question, 1, true) < text(buffer):find(sentence, 1, true))

  put_cursor(buffer, "[1]", 1)
  local cited = hover_text("hover on the citation")
  report("it shows the passage", cited:find("For a new blood clot", 1, true) ~= nil, cited)
  vim.lsp.buf.definition()
  wait("definition opens the source", function() return vim.api.nvim_buf_get_name(0):find("apixaban%.md$") ~= nil end)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  report("at the sentence", vim.api.nvim_get_current_line():sub(column + 1, column + #sentence) == sentence, row .. ":" .. column)
  vim.cmd.buffer(buffer)

  vim.cmd("silent undo")
  report("one undo removes the answer", text(buffer) == original, text(buffer) ~= original and text(buffer) or nil)

  -- A model answers: thoroughly, and then with a system chosen from the menu.
  put_cursor(buffer, question, 5)
  vim.cmd("Lacuna thoroughly")
  wait("a model has answered thoroughly", function() return text(buffer):find("background from the model", 1, true) ~= nil end, 60)
  vim.cmd("silent undo")
  report("one undo removes that answer", text(buffer) == original)
  put_cursor(buffer, question, 5)
  choose("the menu of systems", "^misknow/merged", function() vim.cmd("Lacuna with") end)
  wait("the model has answered", function() return text(buffer):lower():find("answered by scripted", 1, true) ~= nil end, 60)
  wait("what it misses is shown", function()
    return vim.iter(gaps(question)):any(function(d) return d.code == "missing-knowledge" end)
  end)
  vim.cmd("Lacuna gaps")
  wait("the gaps of the workspace are shown", function() return text(0):find("limits and exceptions", 1, true) ~= nil end)
  vim.cmd.buffer(buffer)
  vim.cmd("silent undo")

  vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { "", "What is the usual dose of semaglutide?" })
  wait("a typed question gets its gap", function() return #gaps("semaglutide") > 0 end)
  client:stop()
  wait("the server stops", function() return client:is_stopped() end)
end

vim.schedule(function()
  local finished, problem = xpcall(main, function(e) return type(e) == "string" and e or debug.traceback(e) end)
  if not finished and failures == 0 then failures = 1 end
  if not finished then io.stdout:write(tostring(problem) .. "\n") end
  io.stdout:write(failures == 0 and "PASS\n" or "FAILED\n")
  vim.cmd(failures == 0 and "qa!" or "cq!")
end)
