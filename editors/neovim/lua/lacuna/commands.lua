-- The subcommands of :Lacuna.
local client = require("lacuna.client")
local M = {}

local names = {
  answer = "lacuna.answerQuestion",
  with = "lacuna.answerWith",
  remove = "lacuna.removeAnswer",
  accept = "lacuna.acceptAnswer",
  take = "lacuna.takePlace",
  open = "lacuna.openPlace",
  none = "lacuna.dismissPlaces",
  preview = "lacuna.previewRequest",
  page = "lacuna.startPage",
  dismiss = "lacuna.dismissGap",
  restore = "lacuna.restoreGap",
}

-- plain reports whether the arguments of an answer are the default ones.
local function plain(a) return not (a.system or a.fresh or a.gap or a.override) end

-- at_cursor runs the matching code action of the question under the cursor. If several match, the user chooses.
local function at_cursor(name, wants, change)
  local running = client.here()
  if not running then return end
  local function run(chosen)
    if chosen then client.execute(running, name, change and change(chosen.argument) or chosen.argument) end
  end
  client.offered(running, function(command, argument) return command == name and (not wants or wants(argument)) end, function(found)
    if #found == 1 then return run(found[1]) end
    vim.ui.select(found, { prompt = "Lacuna", format_item = function(c) return c.title end }, run)
  end)
end

local function about_workspace(name)
  local running = client.any()
  if running then client.execute(running, name, { v = 1, uri = vim.uri_from_bufnr(0) }) end
end

-- program returns the server's command line without the server's own arguments.
local function program() return ((vim.lsp.config.lacuna or {}).cmd or { "lacuna" })[1] end

-- run_program runs the program and passes its output to use, or warns of its error.
local function run_program(arguments, use)
  local line = vim.list_extend({ program() }, arguments)
  local started, problem = pcall(vim.system, line, { text = true }, vim.schedule_wrap(function(done)
    if done.code ~= 0 then return client.warn(vim.trim(done.stderr)) end
    use(vim.trim(done.stdout))
  end))
  if not started then client.warn(tostring(problem)) end
end

-- system_names returns the completions of "system". It asks the program once.
local systems
local function system_names()
  if not systems then
    local started, done = pcall(function() return vim.system({ program(), "systems", "--json" }, { text = true }):wait(5000) end)
    if not started or done.code ~= 0 then return { "auto", "thorough" } end
    systems = { "auto", "thorough" }
    for line in vim.gsplit(vim.trim(done.stdout), "\n") do
      systems[#systems + 1] = vim.json.decode(line).id
    end
  end
  return systems
end

-- marks_here returns the codes of the diagnostics on the cursor's line, each with the URI of its page, or "".
local function marks_here()
  local marks = {}
  for _, d in ipairs(vim.diagnostic.get(0, { lnum = vim.fn.line(".") - 1 })) do
    if d.source == "lacuna" and d.code then marks[d.code] = vim.tbl_get(d, "user_data", "lsp", "codeDescription", "href") or "" end
  end
  return marks
end

local function show_page(lines)
  vim.lsp.util.open_floating_preview(lines, "markdown", { focus_id = "lacuna-explain", border = "rounded", max_width = 90 })
end

local function explain(code)
  local marks = marks_here()
  local codes = code and { code } or vim.tbl_keys(marks)
  if #codes == 0 then return client.warn("no mark of Lacuna is on this line; name one, as in :Lacuna explain missing-topic") end
  if #codes > 1 then
    return vim.ui.select(codes, { prompt = "Which mark?" }, function(chosen) if chosen then explain(chosen) end end)
  end
  local page = marks[codes[1]] or ""
  if vim.startswith(page, "file:") then
    local read, lines = pcall(vim.fn.readfile, vim.uri_to_fname(page))
    if read then return show_page(lines) end
  end
  run_program({ "explain", codes[1] }, function(text) show_page(vim.split(text, "\n")) end)
end

-- stop cancels every running answer and the indexing of sources.
local function stop()
  local running = client.here()
  for token in pairs(running and running.progress.pending or {}) do
    running:notify("window/workDoneProgress/cancel", { token = token })
  end
end

-- restart restarts the server for every buffer it served or, if it has exited, for every open note.
local function restart()
  local running = vim.lsp.get_clients({ name = "lacuna" })[1]
  if not running then return vim.lsp.enable("lacuna") end
  local buffers, timer, tries = vim.tbl_keys(running.attached_buffers), assert(vim.uv.new_timer()), 0
  running:stop()
  timer:start(20, 20, vim.schedule_wrap(function()
    tries = tries + 1
    if timer:is_closing() or not running:is_stopped() and tries < 250 then return end
    timer:close()
    if not running:is_stopped() then running:stop(true) end
    for _, buffer in ipairs(buffers) do
      if vim.api.nvim_buf_is_loaded(buffer) then vim.lsp.start(running.config, { bufnr = buffer }) end
    end
  end))
end

-- Each subcommand, with a function that completes its argument if it takes one.
local subcommands = {
  answer = { run = function() at_cursor(names.answer, plain) end },
  all = { run = function() about_workspace("lacuna.answerAll") end },
  thorough = { run = function() at_cursor(names.answer, function(a) return a.system == "thorough" and not a.gap end) end },
  system = {
    complete = system_names,
    run = function(system)
      if not system then return at_cursor(names.with) end
      at_cursor(names.answer, plain, function(a) return vim.tbl_extend("force", a, { system = system }) end)
    end,
  },
  again = { run = function() at_cursor(names.answer, function(a) return a.fresh end) end },
  overrule = { run = function() at_cursor(names.answer, function(a) return a.override end) end },
  remove = { run = function() at_cursor(names.remove) end },
  accept = { run = function() at_cursor(names.accept) end },
  take = { run = function() at_cursor(names.take) end },
  open = { run = function() at_cursor(names.open) end },
  none = { run = function() at_cursor(names.none) end },
  preview = { run = function() at_cursor(names.preview) end },
  page = { run = function() at_cursor(names.page) end },
  dismiss = { run = function() at_cursor(names.dismiss) end },
  restore = { run = function() at_cursor(names.restore) end },
  stop = { run = stop },
  gaps = { run = function() require("lacuna.views").gaps() end },
  quickfix = { run = function() require("lacuna.views").quickfix() end },
  stale = { run = function() require("lacuna.views").stale() end },
  report = { run = function() about_workspace("lacuna.showGaps") end },
  sources = { run = function() require("lacuna.views").sources() end },
  status = { run = function() require("lacuna.status").show() end },
  explain = {
    complete = function() return vim.tbl_keys(marks_here()) end,
    run = explain,
  },
  move = {
    complete = function(lead) return vim.fn.getcompletion(lead, "file") end,
    run = function(target) require("lacuna.files").move(target) end,
  },
  setup = {
    complete = function(lead) return vim.fn.getcompletion(lead, "dir") end,
    run = function(folder)
      local running = client.any()
      if not running then return end
      local path = folder and vim.fs.normalize(vim.fn.fnamemodify(folder, ":p"))
      client.execute(running, "lacuna.setUpSources", { v = 1, uri = vim.uri_from_bufnr(0), path = path })
    end,
  },
  forget = { run = function() about_workspace("lacuna.forgetConsent") end },
  log = { run = function() vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.log.get_filename())) end },
  restart = { run = restart },
  health = { run = function() vim.cmd.checkhealth("lacuna") end },
}

local function subcommand_names()
  local all = vim.tbl_keys(subcommands)
  table.sort(all)
  return all
end

-- run runs the subcommand after :Lacuna.
function M.run(arguments)
  local subcommand = subcommands[arguments[1] or "status"]
  if not subcommand then return client.warn(("there is no %q; there are %s"):format(arguments[1], table.concat(subcommand_names(), ", "))) end
  if #arguments > (subcommand.complete and 2 or 1) then return client.warn(("%s takes no more words"):format(arguments[1])) end
  subcommand.run(arguments[2])
end

-- complete returns the completions of a command line.
function M.complete(lead, line)
  local before = vim.split(line:sub(1, #line - #lead), "%s+", { trimempty = true })
  local choices = {}
  if #before == 1 then
    choices = subcommand_names()
  elseif #before == 2 and subcommands[before[2]] and subcommands[before[2]].complete then
    choices = subcommands[before[2]].complete(lead)
  end
  return vim.tbl_filter(function(choice) return vim.startswith(choice, lead) end, choices)
end

return M
