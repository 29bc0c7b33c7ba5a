-- The part of the plugin that Neovim runs at its start: the server's extra configuration, the command, and the start itself.
if vim.g.loaded_lacuna then return end
vim.g.loaded_lacuna = true

if vim.fn.has("nvim-0.11") == 0 then
  vim.notify("Lacuna needs Neovim 0.11 or newer", vim.log.levels.ERROR)
  return
end

-- lsp/lacuna.lua works without this file. What stands here is what only the plugin can make use of.
vim.lsp.config("lacuna", {
  capabilities = {
    experimental = { lacuna = { status = true } },
    workspace = {
      fileOperations = { willRename = true, didRename = true }, -- by :Lacuna move
      -- Edits name the text they are for. That they are annotated would be told in a message of several lines each time.
      workspaceEdit = { documentChanges = true, changeAnnotationSupport = vim.NIL },
    },
    textDocument = { publishDiagnostics = { codeDescriptionSupport = true }, diagnostic = { codeDescriptionSupport = true } },
  },
  -- Neovim's own switch decides whether hints are shown: vim.lsp.inlay_hint.enable(true).
  settings = { lacuna = { hints = { enabled = true } } },
  -- A document outside every folder of notes, such as a report of Lacuna's own, needs no server beside the one that runs.
  reuse_client = function(client, config)
    local same = client.name == config.name and not client:is_stopped()
    return same and (not config.root_dir or client.config.root_dir == config.root_dir)
  end,
  flags = { debounce_text_changes = 0 }, -- what is typed is known at once; the server itself waits for a pause
  handlers = {
    ["workspace/applyEdit"] = function(...) return require("lacuna.edits").apply(...) end,
    ["lacuna/status"] = function(_, status, context) require("lacuna.status").heard(status, context.client_id) end,
  },
})

vim.api.nvim_create_user_command("Lacuna", function(c) require("lacuna.commands").run(c.fargs) end, {
  nargs = "*",
  desc = "Answers from your own sources; see :help lacuna",
  complete = function(lead, line) return require("lacuna.commands").complete(lead, line) end,
})

require("lacuna.hover").watch()

-- What a sentence of an answer rests on. Colour schemes and users may say otherwise.
for group, link in pairs({ lacunaCited = "String", lacunaUncited = "Comment", lacunaCitation = "Special" }) do
  vim.api.nvim_set_hl(0, "@lsp.type." .. group, { link = link, default = true })
end

if vim.g.lacuna_enable ~= false then vim.lsp.enable("lacuna") end
