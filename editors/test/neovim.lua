-- Neovim end to end, headless, with the plugin installed as the guide says:
--   WORKSPACE=copy-of-the-clinic nvim --headless -c 'luafile neovim.lua'
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local step = dofile(here .. "/neovim_steps.lua")
local report, wait, has = step.report, step.wait, step.has

-- The hover is requested while the command waits for this editor to apply its edit, so the command is certainly running.
local asked_while_running
local apply = vim.lsp.handlers["workspace/applyEdit"]
vim.lsp.handlers["workspace/applyEdit"] = function(err, result, context, ...)
  if asked_while_running then
    local reply
    local client = vim.lsp.get_client_by_id(context.client_id)
    client:request("textDocument/hover", asked_while_running, function(_, hover) reply = hover or false end)
    wait("hover while the command runs", function() return reply ~= nil end, 5)
    report("that hover has text", reply and reply.contents.value:find("tirzepatide", 1, true) ~= nil)
    asked_while_running = nil
  end
  return apply(err, result, context, ...)
end

-- What Neovim's status line would show while sources are indexed.
local indexing = {}
vim.api.nvim_create_autocmd("LspProgress", { callback = function() indexing[#indexing + 1] = vim.lsp.status() end })

local question = "What is the usual dose of apixaban in atrial fibrillation?"
local sentence = "The usual dose of apixaban in atrial fibrillation is 5 mg twice a day."
local unknown = "What is the starting dose of tirzepatide"

local buffer, client

local function gaps(needle)
  local number = step.line_of(buffer, needle)
  return vim.tbl_filter(function(d) return d.source == "lacuna" and tostring(d.code):find("^missing%-") end,
    vim.diagnostic.get(buffer, { lnum = number - 1 }))
end

local function opens()
  vim.cmd.edit(vim.env.WORKSPACE .. "/visit.md")
  buffer = vim.api.nvim_get_current_buf()
  report("the note is Markdown", vim.bo[buffer].filetype == "markdown", vim.bo[buffer].filetype)
  wait("attached", function() return #vim.lsp.get_clients({ bufnr = buffer }) == 1 end)
  client = vim.lsp.get_clients({ bufnr = buffer })[1]
  report("the workspace is found", vim.uv.fs_realpath(client.config.root_dir or "") == vim.uv.fs_realpath(vim.env.WORKSPACE), client.config.root_dir)
end

local function shows_gaps()
  wait("the gap of an unknown medicine is shown", function() return #gaps(unknown) > 0 end, 60)
  wait("indexing counts files and passages", function()
    return vim.iter(indexing):any(function(text) return text:find("read %d+ of %d+ files, %d+ passage") ~= nil end)
  end, 60)
  report("it is named", gaps(unknown)[1].message:find("tirzepatide", 1, true) ~= nil, gaps(unknown)[1].message)
  step.put_cursor(unknown, 30)
  asked_while_running = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local explained = step.hover_text("hover on the question")
  report("it shows the gap", explained:find("tirzepatide.*Nearest places:") ~= nil, explained)
end

local function answers()
  local original = step.text(buffer)
  step.put_cursor(question, 5)
  step.choose("the menu", "^Answer this question")
  wait("the answer is in the note", function() return has(sentence, buffer) end)
  report("below its question", step.text(buffer):find(question, 1, true) < step.text(buffer):find(sentence, 1, true))

  step.put_cursor(", line ", 1)
  local cited = step.hover_text("hover on the citation")
  report("it shows the passage", cited:find("For a new blood clot", 1, true) ~= nil, cited)
  vim.lsp.buf.definition()
  wait("definition opens the source", function() return vim.api.nvim_buf_get_name(0):find("apixaban%.md$") ~= nil end)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  report("at the sentence", vim.api.nvim_get_current_line():sub(column + 1, column + #sentence) == sentence, row .. ":" .. column)
  vim.cmd.buffer(buffer)

  step.undo(client)
  report("one undo removes the answer", step.text(buffer) == original, step.text(buffer) ~= original and step.text(buffer) or nil)
end

-- The first line is typed at the moment when the answer arrives.
local function answers_while_one_types()
  local original = step.text(buffer)
  local handle, interrupted = client.handlers["workspace/applyEdit"], false
  client.handlers["workspace/applyEdit"] = function(...)
    if not interrupted then vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { "Typed while it ran.", "" }) end
    interrupted = true
    return handle(...)
  end
  step.put_cursor(question, 5)
  vim.cmd("Lacuna answer")
  wait("an answer arrives while one types", function() return has(sentence, buffer) end)
  client.handlers["workspace/applyEdit"] = handle
  local row = step.line_of(buffer, question)
  report("and stands below its question", vim.fn.getline(row + 2):find("<!-- lacuna ", 1, true) ~= nil, step.text(buffer))
  report("what was typed stays", vim.fn.getline(1) == "Typed while it ran.")
  step.put_cursor(question, 5)
  vim.cmd("Lacuna remove")
  wait("it is taken out", function() return not has(sentence, buffer) end)
  vim.api.nvim_buf_set_lines(buffer, 0, 2, false, {})
  report("the note is as it was at first", step.text(buffer) == original, step.text(buffer))
  step.typed_since()
end

-- A model answers: thoroughly, with a system chosen from the menu, and with a system given by name.
local function answers_with_a_model()
  local original = step.text(buffer)
  step.typed_since()
  step.put_cursor(question, 5)
  vim.cmd("Lacuna thorough")
  wait("a model has answered thoroughly", function() return has("background from the model", buffer) end, 60)
  step.undo(client)
  report("one undo removes that answer", step.text(buffer) == original)
  step.put_cursor(question, 5)
  vim.cmd("Lacuna system direct")
  wait("a named system has answered", function() return has("alone, not from your sources", buffer) end, 60)
  step.undo(client)
  step.put_cursor(question, 5)
  step.choose("the menu of systems", "^misknow/merged", function() vim.cmd("Lacuna system") end)
  wait("the model has answered", function() return step.text(buffer):lower():find("answered by scripted", 1, true) ~= nil end, 60)
  wait("what it misses is shown", function()
    return vim.iter(gaps(question)):any(function(d) return d.code == "missing-knowledge" end)
  end)
  vim.cmd("Lacuna overrule")
  wait("overruled, the model has answered alone", function() return has("alone, not from your sources", buffer) end, 60)
  step.ended(client)
  local calls = step.asked()
  vim.cmd("Lacuna again")
  wait("the model is asked again", function() return step.asked() > calls end, 60)
  step.ended(client)
  report("alone as before", has("alone, not from your sources", buffer))
  vim.cmd("Lacuna answer")
  wait("answered as the settings say", function() return has(sentence, buffer) end, 60)
  vim.cmd("Lacuna report")
  wait("the gaps of the workspace are shown", function() return has("limits and exceptions", 0) end)
  vim.cmd.buffer(buffer)
  step.put_cursor(question, 5)
  vim.cmd("Lacuna remove")
  wait("the answer is removed", function() return not has("<!-- lacuna ", buffer) end)
  report("the note is as it was", step.text(buffer) == original)
end

-- The other actions on an answer and a gap.
local function handles_answers_and_gaps()
  local original = step.text(buffer)
  step.typed_since()
  wait("the gap is shown", function() return #gaps(unknown) > 0 end)
  step.put_cursor(unknown, 5)
  vim.cmd("Lacuna dismiss")
  wait("a dismissed gap goes away", function() return #gaps(unknown) == 0 end)
  vim.cmd("Lacuna restore")
  wait("and comes back", function() return #gaps(unknown) > 0 end)
  step.put_cursor(question, 5)
  vim.cmd("Lacuna answer")
  wait("the question is answered for keeping", function() return has(sentence, buffer) end)
  vim.cmd("Lacuna accept")
  wait("the answer is kept", function()
    return vim.fn.system({ "lacuna", "--workspace", vim.env.WORKSPACE, "history" }):find(sentence:sub(1, 40), 1, true) ~= nil
  end)
  step.undo(client)
  report("the answer that was kept is taken out", step.text(buffer) == original, step.text(buffer))
  vim.cmd("Lacuna all")
  wait("all questions are answered", function() return select(2, step.text(buffer):gsub("<!%-%- lacuna ", "")) >= 10 end, 60)
  step.undo(client)
  report("by one edit", step.text(buffer) == original, step.text(buffer))
end

-- Rarely used commands.
local function has_the_other_words()
  vim.cmd("Lacuna log")
  report("the log is opened", vim.api.nvim_buf_get_name(0) == vim.lsp.log.get_filename(), vim.api.nvim_buf_get_name(0))
  vim.cmd.tabclose()
  vim.cmd("Lacuna nonsense")
  report("an unknown word is refused with those there are", step.notified('there is no "nonsense"; there are accept, again'))
  step.put_cursor(unknown, 5)
  vim.cmd("Lacuna page")
  wait("a page is started", function() return vim.api.nvim_buf_get_name(0):find("/kb/guidelines/.*tirzepatide.*%.md$") ~= nil end)
  vim.fn.delete(vim.api.nvim_buf_get_name(0))
  vim.cmd("bwipeout!")
  vim.api.nvim_set_current_buf(buffer)
end

-- The plugin's lists, and the text about the status.
local function lists_what_is_known()
  wait("the status line has the gaps", function()
    return (tonumber(require("lacuna").statusline():match("^Lacuna: (%d+) gaps$")) or 0) >= 4
  end, 60)
  step.choose("the gaps", "visit%.md:%d+  Nothing on “tirzepatide”", function() vim.cmd("Lacuna gaps") end)
  wait("a chosen gap is gone to", function() return vim.api.nvim_get_current_line():find(unknown, 1, true) ~= nil end)
  vim.cmd("Lacuna quickfix")
  wait("the gaps are in the quickfix list", function() return vim.bo.buftype == "quickfix" and has("tirzepatide", 0) end)
  local first = vim.fn.getqflist()[1]
  report("with their places", first.bufnr == buffer and first.lnum > 0, vim.inspect(first))
  vim.cmd.cclose()
  vim.api.nvim_set_current_buf(buffer)
  step.choose("the sources", "^guidelines: .*apixaban%.md  %(indexed, %d+ passages%)", function() vim.cmd("Lacuna sources") end)
  wait("a chosen source is opened", function() return vim.api.nvim_buf_get_name(0):find("apixaban%.md$") ~= nil end)
  vim.api.nvim_set_current_buf(buffer)
  vim.cmd("messages clear")
  vim.cmd("Lacuna status")
  wait("the status is shown", function() return vim.fn.execute("messages"):find("391 passages in 62 files", 1, true) ~= nil end)
  report("with its model", vim.fn.execute("messages"):find("model: scripted", 1, true) ~= nil, vim.fn.execute("messages"))
end

local function follows_typing()
  vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { "", "What is the usual dose of semaglutide?" })
  wait("a typed question gets its gap", function() return #gaps("semaglutide") > 0 end)
end

local function restarts()
  local function again()
    vim.cmd("Lacuna restart")
    wait("another server runs", function()
      local now = vim.lsp.get_clients({ bufnr = buffer })[1]
      return now and now.initialized and now.id ~= client.id
    end, 60)
    wait("the one before does not", function() return client:is_stopped() end)
    client = vim.lsp.get_clients({ bufnr = buffer })[1]
    vim.diagnostic.reset(nil, buffer)
    vim.cmd("normal! Go")
    wait("it shows gaps again", function() return #gaps(unknown) > 0 end, 60)
  end
  again()
  for _, process in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
    if vim.api.nvim_get_proc(process).name == "lacuna" then vim.uv.kill(process, "sigkill") end
  end
  wait("the server is killed", function() return client:is_stopped() end)
  again()
end

local function stops()
  client:stop()
  wait("the server stops", function() return client:is_stopped() end)
end

local function has_help()
  vim.cmd("helptags ALL")
  vim.cmd.help("lacuna")
  report("the help is there", has("Answers to the questions in your notes", 0))
  local tags = vim.fn.getcompletion("lacuna-", "help")
  report("it has its tags", #tags >= 6, vim.inspect(tags))
  local words = vim.fn.getcompletion("Lacuna ", "cmdline")
  report("words are completed", #words > 20, vim.inspect(words))
  for _, word in ipairs(words) do
    report("the help speaks of " .. word, has("*:Lacuna-" .. word .. "*", 0))
  end
  wait("systems are completed", function() return vim.list_contains(vim.fn.getcompletion("Lacuna system misk", "cmdline"), "misknow/merged") end)
  vim.cmd.bwipeout()
end

step.run(function()
  opens()
  shows_gaps()
  answers()
  answers_while_one_types()
  dofile(here .. "/neovim_features.lua")(step, client, buffer)
  dofile(here .. "/neovim_notes.lua")(step, client, buffer)
  answers_with_a_model()
  dofile(here .. "/neovim_models.lua")(step, client, buffer)
  lists_what_is_known()
  handles_answers_and_gaps() -- the last of these: an accepted answer answers the question from then on
  has_the_other_words()
  follows_typing()
  has_help()
  restarts()
  stops()
end)
