-- Shows the server's lists with vim.ui.select and the quickfix window, so that any picker can replace them.
local client = require("lacuna.client")
local M = {}

local function named(uri) return vim.fn.fnamemodify(vim.uri_to_fname(uri), ":~:.") end

-- place says where a gap is, as far as it is known: the note of a remembered gap may not be open.
local function place(gap) return named(gap.uri) .. (gap.range and ":" .. gap.range.start.line + 1 or "") end

-- pattern finds the first line of a question, for a gap without a range.
local function pattern(gap) return "\\V" .. vim.fn.escape(vim.split(gap.question or "", "\n")[1], "\\/") end

local function go_to(gap, encoding)
  if gap.range then
    vim.lsp.util.show_document({ uri = gap.uri, range = gap.range }, encoding, { focus = true })
    return
  end
  vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(gap.uri)))
  vim.fn.cursor(1, 1)
  vim.fn.search(pattern(gap), "cW")
end

-- with_gaps passes on the open gaps of the workspace, in the order of their places.
local function with_gaps(use)
  local running = client.any()
  if not running then return end
  client.execute(running, "lacuna.listGaps", { version = 1 }, function(result)
    local gaps = result.gaps or {}
    if #gaps == 0 then return client.say(result.message or "no gap is open in the notes of this workspace") end
    use(gaps, running)
  end)
end

-- gaps lets the user choose a gap and goes there.
function M.gaps()
  with_gaps(function(gaps, running)
    vim.ui.select(gaps, {
      prompt = "What your sources do not know",
      kind = "lacuna.gap",
      format_item = function(gap) return ("%s  %s"):format(place(gap), gap.text) end,
    }, function(gap)
      if gap then go_to(gap, running.offset_encoding) end
    end)
  end)
end

-- quickfix puts the gaps into the quickfix list.
function M.quickfix()
  with_gaps(function(gaps, running)
    local items = {}
    for _, gap in ipairs(gaps) do
      local item = { filename = vim.uri_to_fname(gap.uri), text = gap.text, pattern = pattern(gap) }
      if gap.range then
        item = vim.lsp.util.locations_to_items({ { uri = gap.uri, range = gap.range } }, running.offset_encoding)[1]
        item.text = gap.text
      end
      item.type = (gap.probability or 0) >= 0.9 and "W" or "I"
      items[#items + 1] = item
    end
    vim.fn.setqflist({}, " ", { title = "Lacuna: what the sources do not know", items = items })
    vim.cmd.copen()
  end)
end

-- stale puts what is no longer true in the notes of the workspace into the quickfix list.
function M.stale()
  local running = client.any()
  if not running then return end
  client.execute(running, "lacuna.listStale", { version = 1 }, function(result)
    local marks = result.marks or {}
    if #marks == 0 then return client.say(result.message or "nothing is marked as no longer true") end
    local items = {}
    for _, mark in ipairs(marks) do
      local item = vim.lsp.util.locations_to_items({ { uri = mark.uri, range = mark.range } }, running.offset_encoding)[1]
      item.text = mark.text
      item.type = ({ error = "E", warning = "W" })[mark.severity] or "I"
      items[#items + 1] = item
    end
    vim.fn.setqflist({}, " ", { title = "Lacuna: what is no longer true", items = items })
    vim.cmd.copen()
  end)
end

-- sources lets the user choose a file of the sources and opens it. Each is listed with its status: indexed, partly read, skipped or failed; files without text share a line.
function M.sources()
  local running = client.any()
  if not running then return end
  client.execute(running, "lacuna.listSources", { version = 1 }, function(result)
    local files, others = {}, {}
    for _, folder in ipairs(result.folders or {}) do
      for _, source in ipairs(folder.sources or {}) do
        for _, file in ipairs(source.files or {}) do
          file.source = source.name
          files[#files + 1] = file
        end
        for _, line in ipairs(source.others or {}) do
          others[#others + 1] = { source = source.name, line = line }
        end
      end
    end
    vim.list_extend(files, others)
    if #files == 0 then return client.warn(result.message or "no source has a file; put some into a folder kb next to your notes") end
    vim.ui.select(files, {
      prompt = "Sources",
      kind = "lacuna.source",
      format_item = function(file)
        if file.line then return ("%s: %s"):format(file.source, file.line) end
        local number = file.passages or 0
        local passages = file.state == "indexed" and (", %d passage%s"):format(number, number == 1 and "" or "s") or ""
        local why = file.reason and file.reason ~= "" and ": " .. file.reason or ""
        local state = file.partly and "partly read" or file.state
        return ("%s: %s  (%s%s%s)"):format(file.source, file.path, state, passages, why)
      end,
    }, function(file)
      if file and file.uri then vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(file.uri))) end
    end)
  end)
end

return M
