-- Dims what stands in a note for Lacuna alone: the hidden line of an answer, and the comments of the full form. With a 'conceallevel'
-- above 0 it is concealed.
local M = {}

local space = vim.api.nvim_create_namespace("lacuna.machinery")

-- As the server writes them (handlers/note), in each language of notes.
local patterns = {
  "^%s*<!%-%- lacuna:answer [%x-]+ %-%->", "^%s*<!%-%- lacuna:end %-%->", "<!%-%- lacuna:cite %x+ %-%->",
  "<!%-%- lacuna %x%x%x%x%x%x%x%x[%d-]*[ %xtakn]*%-%->",
  "@@comment:lacuna:cite %x+@@", "[%%/]+ lacuna:cite %x+", "^%s*[#%%/.]+ lacuna:answer [%x-]+", "^%s*[#%%/.]+ lacuna:end",
  "^%s*[#%%/.]+ lacuna %x%x%x%x%x%x%x%x[%d-]*[ %xtakn]*$",
  "^%s*%(lacuna %x%x%x%x%x%x%x%x[%d-]*[ %xtakn]*%)", "^%s*%-%-%- lacuna answer .*%-%-%-", "^%s*%-%-%- end of lacuna answer %-%-%-",
}

-- dim marks the stretches of some lines; the last line is not one of them.
local function dim(buffer, first, last)
  vim.api.nvim_buf_clear_namespace(buffer, space, first, last)
  for i, line in ipairs(vim.api.nvim_buf_get_lines(buffer, first, last, false)) do
    if line:find("lacuna", 1, true) then
      for _, pattern in ipairs(patterns) do
        local from, to = line:find(pattern)
        if from then
          vim.api.nvim_buf_set_extmark(buffer, space, first + i - 1, from - 1, { end_col = to, hl_group = "lacunaHidden", conceal = "", priority = 200 })
        end
      end
    end
  end
end

-- watch dims it in the buffers that Lacuna serves, also while they change.
function M.watch()
  vim.api.nvim_set_hl(0, "lacunaHidden", { link = "NonText", default = true })
  local watched = {}
  vim.api.nvim_create_autocmd("LspAttach", {
    group = vim.api.nvim_create_augroup("lacuna.machinery", {}),
    callback = function(event)
      local client, buffer = vim.lsp.get_client_by_id(event.data.client_id), event.buf
      if not client or client.name ~= "lacuna" or watched[buffer] then return end
      watched[buffer] = vim.api.nvim_buf_attach(buffer, false, {
        on_lines = function(_, _, _, first, _, last) vim.schedule(function() if vim.api.nvim_buf_is_valid(buffer) then dim(buffer, first, math.min(last, vim.api.nvim_buf_line_count(buffer))) end end) end,
        on_reload = function() dim(buffer, 0, -1) end,
        on_detach = function() watched[buffer] = nil end,
      })
      dim(buffer, 0, -1)
    end,
  })
end

return M
