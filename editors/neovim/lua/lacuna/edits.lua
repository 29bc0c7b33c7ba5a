-- Edits that come while one types. Neovim leaves out an edit of an older text and says all the same that it was made; here it says that
-- it was not, so that the server makes it anew for the text as it is now.
local M = {}

local function outdated(change)
  local document = change.textDocument
  local version = document and document.version
  return type(version) == "number" and (vim.lsp.util.buf_versions[vim.uri_to_bufnr(document.uri)] or 0) > version
end

-- apply handles workspace/applyEdit.
function M.apply(problem, params, context)
  if vim.iter(params.edit.documentChanges or {}):any(outdated) then
    return { applied = false, failureReason = "the note has changed meanwhile" }
  end
  return vim.lsp.handlers["workspace/applyEdit"](problem, params, context)
end

return M
