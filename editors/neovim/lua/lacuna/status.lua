-- The server's state: stored for the status line, and shown on demand.
local client = require("lacuna.client")
local M = {}

local newest = {} -- by client id

-- heard stores a lacuna/status notification and redraws the status line.
function M.heard(status, id)
  newest[id] = status
  vim.api.nvim_exec_autocmds("User", { pattern = "LacunaStatus", data = status, modeline = false })
  vim.cmd.redrawstatus()
end

-- folder_of returns the folder of a status that a file belongs to: the closest one above it, else the only one.
local function folder_of(status, path)
  local nearest, length = nil, -1
  for _, folder in ipairs(status.folders or {}) do
    local root = vim.fs.normalize(vim.uri_to_fname(folder.uri))
    if vim.startswith(path .. "/", root .. "/") and #root > length then nearest, length = folder, #root end
  end
  return nearest or (#(status.folders or {}) == 1 and status.folders[1] or nil)
end

local function count(number, thing) return ("%d %s%s"):format(number, thing, number == 1 and "" or "s") end

-- Describes sources that cannot answer anything.
local nothing = { none = "no sources", missing = "sources not found", empty = "sources are empty", unreadable = "sources cannot be read" }

-- brief describes a folder's state in a few words.
local function brief(folder, answering)
  if answering > 0 then return "answering" end
  if folder.state == "indexing" then
    return folder.percent and ("indexing %d%%"):format(folder.percent) or "indexing"
  end
  if folder.state ~= "ready" then return folder.state == "off" and nothing[folder.sources] or folder.state end
  return (folder.gaps or 0) > 0 and count(folder.gaps, "gap") or "ready"
end

-- line returns the text for the status line: a few words, or "" if Lacuna does not run.
function M.line()
  local running = vim.lsp.get_clients({ bufnr = 0, name = "lacuna" })[1]
  local status = running and newest[running.id]
  local folder = status and folder_of(status, vim.fs.normalize(vim.api.nvim_buf_get_name(0)))
  return folder and "Lacuna: " .. brief(folder, status.answering or 0) or ""
end

-- describe returns everything in a status, as lines.
function M.describe(status)
  local lines = {}
  for _, folder in ipairs(status.folders or {}) do
    lines[#lines + 1] = ("%s: %s%s"):format(vim.fs.basename(vim.fs.normalize(vim.uri_to_fname(folder.uri))), folder.state, folder.message and folder.message ~= "" and ", " .. folder.message or "")
    lines[#lines + 1] = ("  %s in %s, %d skipped, %d failed; %s"):format(count(folder.passages or 0, "passage"),
      count(folder.files or 0, "file"), folder.skipped or 0, folder.failed or 0, count(folder.gaps or 0, "open gap"))
    local by = folder.model and folder.model ~= "" and folder.model or "none, quotes only"
    lines[#lines + 1] = ("  model: %s%s"):format(by, folder.gate and folder.gate ~= "" and "; gate: " .. folder.gate or "")
    if folder.decision and folder.decision ~= "" then lines[#lines + 1] = "  last answer: " .. folder.decision end
  end
  if (status.answering or 0) > 0 then lines[#lines + 1] = count(status.answering, "question") .. " being answered" end
  return #lines > 0 and lines or { "no folder is open yet" }
end

-- show asks for the state and prints it.
function M.show()
  local running = client.any()
  if not running then return end
  client.execute(running, "lacuna.status", { version = 1 }, function(status)
    vim.api.nvim_echo({ { table.concat(M.describe(status), "\n") } }, true, {})
  end)
end

return M
