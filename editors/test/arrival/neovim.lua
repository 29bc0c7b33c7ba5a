-- Neovim with nothing but the set-up of README.md, in a folder of one's own: NOTE=note nvim --headless -c 'luafile neovim.lua'
local step = dofile(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)) .. "/../neovim_steps.lua")

step.run(function()
  vim.cmd.edit(vim.env.NOTE)
  local buffer = vim.api.nvim_get_current_buf()
  step.wait("a gap is shown", function() return #vim.diagnostic.get(buffer) > 0 end, 120)
  step.put_cursor(vim.env.QUESTION, 5)
  step.choose("gra", "^Answer this question", function() vim.api.nvim_feedkeys("gra", "tx", false) end)
  step.wait("the answer is in the note", function() return step.has(vim.env.SENTENCE, buffer) and step.has("(kitchen.md#L3)", buffer) end, 60)
end)
