-- Files that move, with the citations that lead to them and those they hold.
local client = require("lacuna.client")
local M = {}

-- move gives the file of the current buffer another name or folder. The server is asked beforehand what has to be edited for it; the
-- moved file is written, edits of others are left in their buffers for the user to look at.
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
