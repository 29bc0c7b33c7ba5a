-- Hides backslashes in hovers. Neovim takes a number in brackets for a link and hides the brackets, so Lacuna escapes them; but then
-- Neovim shows the backslashes.
local M = {}

-- tidy hides the backslashes before punctuation in the floating window that shows a buffer.
local function tidy(buffer)
  local window = vim.fn.bufwinid(buffer)
  if window > 0 and vim.api.nvim_win_get_config(window).relative ~= "" then
    vim.fn.matchadd("Conceal", [=[\\\ze[[:punct:]]]=], 10, -1, { window = window, conceal = "" })
  end
end

-- watch tidies the floating windows that are opened from a note.
function M.watch()
  vim.api.nvim_create_autocmd("FileType", {
    group = vim.api.nvim_create_augroup("lacuna.hover", {}),
    pattern = "markdown",
    callback = function(event)
      if vim.bo[event.buf].buftype ~= "nofile" then return end
      vim.schedule(function() -- the current buffer is the note again
        if #vim.lsp.get_clients({ bufnr = 0, name = "lacuna" }) > 0 then tidy(event.buf) end
      end)
    end,
  })
end

return M
