-- Lacuna's commands for Neovim 0.11 and newer: save this file as ~/.config/nvim/plugin/lacuna.lua
-- :Lacuna answer | thoroughly | with | again | stop | gaps | preview | forget

-- What each word does: a command of the server and, where it is about the question under the cursor,
-- what tells its entry in the menu of code actions from the others.
local words = {
  answer = { command = "lacuna.answerQuestion", wants = function(a) return not a.system and not a.fresh and not a.gap end },
  thoroughly = { command = "lacuna.answerQuestion", wants = function(a) return a.system == "thorough" and not a.gap end },
  with = { command = "lacuna.answerWith", wants = function() return true end },
  again = { command = "lacuna.answerQuestion", wants = function(a) return a.fresh end },
  preview = { command = "lacuna.previewRequest", wants = function() return true end },
  gaps = { command = "lacuna.showGaps" },
  forget = { command = "lacuna.forgetConsent" },
  stop = {},
}

local function run(word)
  local client = vim.lsp.get_clients({ bufnr = 0, name = "lacuna" })[1]
  local chosen = words[word]
  if not client or not chosen then
    vim.notify(client and ("Lacuna: no command " .. word) or "Lacuna does not run in this buffer", vim.log.levels.WARN)
  elseif word == "stop" then
    for token in pairs(client.progress.pending) do
      client:notify("window/workDoneProgress/cancel", { token = token })
    end
  elseif not chosen.wants then
    client:exec_cmd({ title = word, command = chosen.command, arguments = { { v = 1, uri = vim.uri_from_bufnr(0) } } })
  else
    vim.lsp.buf.code_action({
      apply = true,
      filter = function(action)
        local command = type(action.command) == "table" and action.command or action
        return command.command == chosen.command and chosen.wants(command.arguments[1])
      end,
    })
  end
end

vim.api.nvim_create_user_command("Lacuna", function(c) run(c.args) end, {
  nargs = 1,
  complete = function(start)
    return vim.tbl_filter(function(word) return vim.startswith(word, start) end, vim.tbl_keys(words))
  end,
})
