-- Tests Neovim with nothing but the set-up of README.md, its two blocks of Lua copied word for word:
--   README=README.md WORKSPACE=copy-of-the-clinic nvim --headless -c 'luafile neovim_readme.lua'
-- all.sh puts the blocks into place, because Neovim reads them when it starts.
local step = dofile(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)) .. "/neovim_steps.lua")

local function keys(typed) vim.api.nvim_feedkeys(vim.keycode(typed), "tx", false) end

step.run(function()
  vim.cmd.edit(vim.env.WORKSPACE .. "/visit.md")
  local buffer = vim.api.nvim_get_current_buf()
  step.wait("a gap is shown", function()
    return vim.iter(vim.diagnostic.get(buffer)):any(function(d) return d.message:find("tirzepatide", 1, true) ~= nil end)
  end, 60)
  step.report("next to its question", vim.diagnostic.config().virtual_text == true)
  step.report("no plugin is there", vim.fn.exists(":Lacuna") == 0)
  local original = step.text(buffer)
  step.put_cursor("What is the usual dose of apixaban", 5)
  step.choose("gra", "^Answer this question", function() keys("gra") end)
  step.wait("the answer is in the note", function() return step.has("is 5 mg twice a day", buffer) end)
  step.put_cursor(", line ", 1)
  keys("K")
  local window = step.floating("K")
  step.report("shows the passage", step.has("For a new blood clot", vim.api.nvim_win_get_buf(window)))
  vim.api.nvim_win_close(window, true)
  keys("<C-]>")
  step.wait("Ctrl-] opens the source", function() return vim.api.nvim_buf_get_name(0):find("apixaban%.md$") ~= nil end)
  vim.api.nvim_set_current_buf(buffer)
  keys("u")
  step.wait("u takes the answer out", function() return step.text(buffer) == original end)
  step.put_cursor("What is the starting dose of tirzepatide", 5)
  step.choose("gra on a gap", "^Start a page", function() keys("gra") end)
  step.wait("a page is started", function() return vim.api.nvim_buf_get_name(0):find("/kb/guidelines/.*tirzepatide.*%.md$") ~= nil end)
end)
