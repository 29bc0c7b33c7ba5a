-- Tests what Neovim's own commands show of a note with answers: lists, links, folds, completion and so on.
return function(step, client, buffer)
  local report, wait = step.report, step.wait
  local question = "What is the usual dose of apixaban in atrial fibrillation?"

  -- listed runs one of Neovim's commands that make a list and returns the items.
  local function listed(name, command)
    local items
    command({ on_list = function(list) items = list.items end })
    wait(name, function() return items ~= nil end)
    return items
  end

  local function any(items, needle)
    return vim.iter(items):any(function(item) return (item.text or item.label or ""):find(needle, 1, true) ~= nil end)
  end

  local function diagnostics()
    report("diagnostics are pulled", client.server_capabilities.diagnosticProvider ~= nil)
    local mark = vim.iter(vim.diagnostic.get(buffer)):find(function(d) return d.code == "missing-topic" end)
    report("a mark has its code", mark ~= nil)
    local page = vim.tbl_get(mark, "user_data", "lsp", "codeDescription", "href")
    report("which leads to its page", page ~= nil and vim.fn.readfile(vim.uri_to_fname(page))[1] == "# missing-topic", page)
    vim.api.nvim_win_set_cursor(0, { mark.lnum + 1, 0 })
    vim.cmd("Lacuna explain")
    local window = step.floating("the mark under the cursor is explained")
    local explained = step.text(vim.api.nvim_win_get_buf(window))
    report("with what to do", explained:find("What to do", 1, true) ~= nil, explained)
    vim.api.nvim_win_close(window, true)
  end

  local function lists()
    local outline = listed("symbols of the note", function(o) vim.lsp.buf.document_symbol(o) end)
    report("the question is among them", any(outline, question), vim.inspect(outline))
    local found = listed("symbols of the workspace", function(o) vim.lsp.buf.workspace_symbol("gout prevented", o) end)
    report("a question is found by its letters", any(found, "How can gout attacks be prevented"), vim.inspect(found))
    step.put_cursor(", line ", 1)
    local places = listed("references of the citation", function(o) vim.lsp.buf.references(nil, o) end)
    report("the note is among them", vim.iter(places):any(function(p) return p.filename:find("visit%.md$") ~= nil end), vim.inspect(places))
  end

  local function links()
    local opened
    local open = vim.ui.open
    vim.ui.open = function(target) opened = target end
    step.put_cursor("(kb/guidelines/medicines/apixaban.md", 3)
    vim.api.nvim_feedkeys("gx", "tx", false)
    wait("gx opens a link", function() return opened ~= nil end)
    vim.ui.open = open
    report("to the source", opened:find("medicines/apixaban.md", 1, true) ~= nil, opened)
  end

  local function folds()
    vim.wo.foldmethod, vim.wo.foldexpr = "expr", "v:lua.vim.lsp.foldexpr()"
    local line = step.line_of(buffer, "<!-- lacuna ")
    report("an answer of one line has nothing to fold", vim.fn.foldlevel(line) == 0)
    vim.wo.foldmethod = "manual"
    vim.cmd("normal! zE")
  end

  local function lenses()
    if not vim.lsp.codelens.enable then return end -- Neovim 0.11 has another interface
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    wait("a line above each question says what is known", function()
      return vim.iter(vim.lsp.codelens.get({ bufnr = buffer })):any(function(l)
        return vim.tbl_get(l.lens or l, "command", "title") ~= nil
      end)
    end)
    vim.lsp.codelens.enable(false, { bufnr = buffer })
  end

  local function hints()
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
    wait("a hint behind the question", function()
      local row = step.line_of(buffer, question) - 1
      return vim.iter(vim.lsp.inlay_hint.get({ bufnr = buffer })):any(function(h) return h.inlay_hint.position.line == row end)
    end)
    vim.lsp.inlay_hint.enable(false, { bufnr = buffer })
    -- The setting takes effect without a restart.
    client.settings = { lacuna = { hints = { enabled = false } } }
    client:notify("workspace/didChangeConfiguration", { settings = client.settings })
    wait("no hint when the setting is off", function()
      local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, range = { start = { line = 0, character = 0 }, ["end"] = { line = 99, character = 0 } } }
      local reply = client:request_sync("textDocument/inlayHint", params, 2000, buffer)
      return reply and not reply.err and #(reply.result or {}) == 0
    end)
  end

  local function tokens()
    local function type_at(needle)
      local row, column = step.line_of(buffer, needle)
      return vim.iter(vim.lsp.semantic_tokens.get_at_pos(buffer, row - 1, column + 2) or {}):map(function(t) return t.type end):totable()
    end
    wait("a cited sentence has its colour", function() return vim.list_contains(type_at("The usual dose of apixaban"), "lacunaCited") end)
    report("linked to one that schemes know", vim.api.nvim_get_hl(0, { name = "@lsp.type.lacunaCited" }).link == "String")
  end

  local function completion()
    local before = step.text(buffer)
    vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { "", "See [apix" })
    local number = vim.api.nvim_buf_line_count(buffer)
    vim.api.nvim_win_set_cursor(0, { number, 9 })
    local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    params.position.character = 9
    local result = step.request(client, "textDocument/completion", params)
    local items = result.items or result
    report("a source is completed", any(items, "Apixaban"), vim.inspect({ params, result }):sub(1, 600) .. vim.fn.getline(number))
    vim.api.nvim_buf_set_lines(buffer, number - 2, number, false, {})
    report("the note is as it was before", step.text(buffer) == before)
  end

  local function moving()
    local source = vim.env.WORKSPACE .. "/kb/guidelines/medicines/apixaban.md"
    vim.cmd.edit(source)
    wait("the source is attached", function() return #vim.lsp.get_clients({ bufnr = 0, name = "lacuna" }) == 1 end)
    vim.cmd("Lacuna move " .. vim.env.WORKSPACE .. "/kb/guidelines/medicines/apixaban-tablets.md")
    wait("a source is moved", function() return vim.api.nvim_buf_get_name(0):find("apixaban%-tablets%.md$") ~= nil end)
    report("on disk as well", vim.uv.fs_stat(source) == nil)
    report("and the citation follows", step.has("(kb/guidelines/medicines/apixaban-tablets.md#L", buffer), step.text(buffer))
    vim.cmd("Lacuna move " .. source)
    wait("and back", function() return step.has("(kb/guidelines/medicines/apixaban.md#L", buffer) end)
    vim.api.nvim_set_current_buf(buffer)
  end

  local function health()
    vim.cmd("Lacuna health")
    wait("checkhealth has looked", function() return step.has("Lacuna: lacuna doctor in", 0) and step.has("gate:", 0) end, 60)
    local text = step.text(0)
    for _, want in ipairs({ "version", "running for", "391 passages in 62 files", "sources: guidelines", "models:" }) do
      report("it speaks of " .. want, text:find(want, 1, true) ~= nil, text)
    end
    report("it finds no error", text:find("ERROR", 1, true) == nil, text)
    vim.cmd.bwipeout()
    vim.api.nvim_set_current_buf(buffer)
  end

  step.put_cursor(question, 5)
  vim.cmd("Lacuna answer")
  wait("the question is answered", function() return step.has("<!-- lacuna ", buffer) end)
  diagnostics()
  lists()
  links()
  folds()
  lenses()
  tokens()
  hints()
  completion()
  moving()
  health()
  step.put_cursor(question, 5)
  vim.cmd("Lacuna remove")
  wait("the answer is taken out", function() return not step.has("<!-- lacuna ", buffer) end)
  report("nothing was complained about", vim.iter(step.messages):all(function(text) return text:find("moved to", 1, true) ~= nil end),
    vim.inspect(step.messages))
end
