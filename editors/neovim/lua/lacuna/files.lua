-- Moves files, and keeps both the citations of them and the citations in them correct.
local client = require("lacuna.client")
local M = {}

-- move renames the file of the current buffer or moves it to another folder. It first asks the server for the edits this needs. It
-- writes the moved file, and leaves the edits of other files in their buffers for the user to review.
function M.move(target)
  local running = client.here()
  if not running then return end
  if not target then return client.warn("name the new place, as in :Lacuna move archive/visit.md") end
  local old = vim.api.nvim_buf_get_name(0)
  local new = vim.fs.normalize(vim.fn.fnamemodify(target, ":p"))
  if vim.fn.isdirectory(new) == 1 then new = vim.fs.joinpath(new, vim.fs.basename(old)) end
  if vim.uv.fs_stat(new) then return client.warn(new .. " is there already") end
  local params = { files = { { oldUri = vim.uri_from_fname(old), newUri = vim.uri_from_fname(new) } } }
  running:request("workspace/willRenameFiles", params, function(problem, edit)
    if problem then return client.warn(problem.message) end
    if edit then vim.lsp.util.apply_workspace_edit(edit, running.offset_encoding) end
    vim.lsp.util.rename(old, new)
    vim.cmd("silent write!")
    running:notify("workspace/didRenameFiles", params)
    client.say("moved to " .. vim.fn.fnamemodify(new, ":~:."))
  end, vim.api.nvim_get_current_buf())
end

return M
