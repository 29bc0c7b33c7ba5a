-- The functions that a configuration may call.
local M = {}

-- statusline describes the folder of the current buffer in a few words, such as "Lacuna: 3 gaps"; "" if Lacuna does not run.
--   vim.o.statusline = " %f  %{v:lua.require'lacuna'.statusline()}"
function M.statusline() return require("lacuna.status").line() end

return M
