-- What a configuration may call.
local M = {}

-- statusline returns a few words about the folder of the current buffer, such as "Lacuna: 3 gaps"; nothing where Lacuna does not run.
--   vim.o.statusline = " %f  %{v:lua.require'lacuna'.statusline()}"
function M.statusline() return require("lacuna.status").line() end

return M
