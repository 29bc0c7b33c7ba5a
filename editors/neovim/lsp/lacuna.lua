-- Lacuna for Neovim 0.11 and newer: save this file as ~/.config/nvim/lsp/lacuna.lua
-- and add to init.lua:  vim.lsp.enable("lacuna")
return {
  cmd = { "lacuna", "serve" }, -- or the full path of the program
  filetypes = { "markdown", "text", "org", "tex", "rst", "asciidoc", "typst" },
  root_markers = { ".lacuna.toml", "kb", ".git" },
}
