-- Neovim runs this file when it starts: it extends the server's configuration, defines the command and enables the server.
if vim.g.loaded_lacuna then return end
vim.g.loaded_lacuna = true

if vim.fn.has("nvim-0.11") == 0 then
  vim.notify("Lacuna needs Neovim 0.11 or newer", vim.log.levels.ERROR)
  return
end

-- lsp/lacuna.lua works without this file, which adds what only the plugin can use.
vim.lsp.config("lacuna", {
  capabilities = {
    experimental = { lacuna = { status = true } },
    workspace = {
      fileOperations = { willRename = true, didRename = true }, -- by :Lacuna move
      -- Edits carry the version of the text they are for. Neovim would announce annotated edits with several lines each time.
      workspaceEdit = { documentChanges = true, changeAnnotationSupport = vim.NIL },
    },
    textDocument = { publishDiagnostics = { codeDescriptionSupport = true }, diagnostic = { codeDescriptionSupport = true } },
  },
  -- Neovim's own switch decides whether hints are shown: vim.lsp.inlay_hint.enable(true).
  settings = { lacuna = { hints = { enabled = true } } },
  -- A document outside every folder of notes, such as one of Lacuna's own reports, needs no second server.
  reuse_client = function(client, config)
    local same = client.name == config.name and not client:is_stopped()
    return same and (not config.root_dir or client.config.root_dir == config.root_dir)
  end,
  flags = { debounce_text_changes = 0 }, -- changes are sent immediately; the server itself waits for a pause
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
require("lacuna.machinery").watch()

-- Colours by what a sentence of an answer rests on. Colour schemes and users can override them.
for group, link in pairs({ lacunaCited = "String", lacunaUncited = "Comment", lacunaCitation = "Special" }) do
  vim.api.nvim_set_hl(0, "@lsp.type." .. group, { link = link, default = true })
end

if vim.g.lacuna_enable ~= false then vim.lsp.enable("lacuna") end
