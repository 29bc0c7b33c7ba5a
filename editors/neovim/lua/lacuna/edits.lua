-- Edits that arrive while the user types. Neovim skips an edit of an outdated version but reports it as applied. This handler reports
-- it as not applied, so that the server sends it again for the current text.
local M = {}

local function outdated(change)
  local document = change.textDocument
  local version = document and document.version
  return type(version) == "number" and (vim.lsp.util.buf_versions[vim.uri_to_bufnr(document.uri)] or 0) > version
end

-- apply handles workspace/applyEdit.
function M.apply(problem, params, context)
  if vim.iter(params.edit.documentChanges or {}):any(outdated) then
    return { applied = false, failureReason = "the note has changed in the meantime" }
  end
  return vim.lsp.handlers["workspace/applyEdit"](problem, params, context)
end

return M
