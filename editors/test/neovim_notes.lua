-- Tests notes of every kind: what is marked in them, in which languages, from which sources.
return function(step, client, buffer)
  local report, wait, has = step.report, step.wait, step.has
  local question = "What is the usual dose of apixaban in atrial fibrillation?"
  local sentence = "The usual dose of apixaban in atrial fibrillation is 5 mg twice a day."
  local unknown = "What is the starting dose of tirzepatide"
  local original = step.text(buffer)

  local function marks(code, within)
    return vim.tbl_filter(function(d) return d.source == "lacuna" and d.code == code end, vim.diagnostic.get(within or buffer))
  end

  local function gap_on(needle, within)
    local row = step.line_of(within or buffer, needle) - 1
    return vim.iter(marks("missing-topic", within)):any(function(d) return d.lnum == row end)
  end

  local function gaps()
    wait("the gap is marked", function() return gap_on(unknown) end, 60)
    step.typed_since()
    step.put_cursor(unknown, 5)
    step.choose("the menu of a gap", "^Search again with “tirzepatide")
    wait("it is searched for again, and what is not found is said", function() return step.text(buffer):find("Nothing on “tirzepatide.*Nearest places:") ~= nil end)
    step.undo(client)
    report("one undo takes that out", step.text(buffer) == original)
    step.typed_since()
    step.put_cursor("pegloticase", 0)
    step.choose("the menu of another gap", "^Ask the model for background on “pegloticase")
    wait("the model writes background, marked as that", function() return has("background from the model", buffer) end, 60)
    step.ask("How is gout treated with pegloticase", "remove")
    wait("it is taken out", function() return step.text(buffer) == original end)
  end

  -- The places that come nearest, where nothing answers.
  local function places()
    step.ask(unknown, "answer")
    wait("the nearest places are in the note", function() return step.text(buffer):find('Nearest places:.*\n *%- .*" %[[^\n]*, line ') ~= nil end)
    step.ended(client)
    local listed = step.text(buffer)
    local file, line = listed:match('\n *%- [^\n]*" %[[^\n]*%]%(([^\n]*)#L(%d+)%)', (listed:find("Nearest places:", 1, true)))
    local function at_first()
      local row = step.line_of(buffer, "Nearest places:") + 2
      vim.api.nvim_win_set_cursor(0, { row, #vim.fn.getline(row):match("^ *") })
    end
    at_first()
    vim.cmd("Lacuna open")
    wait("a nearest place is opened", function() return vim.endswith(vim.api.nvim_buf_get_name(0), file) end)
    wait("at its line", function() return vim.api.nvim_win_get_cursor(0)[1] == tonumber(line) end)
    vim.cmd("buffer " .. buffer)
    at_first()
    step.typed_since()
    vim.cmd("Lacuna take")
    wait("it is taken as the answer", function() return has(" taken -->", buffer) end)
    wait("and nothing is marked as missing", function() return not gap_on(unknown) end)
    step.undo(client)
    report("one undo brings the places back", step.text(buffer) == listed)
    step.picks({ "^Take as the answer: " })
    step.ask(unknown, "take")
    wait("at the question one is chosen", function() return has(" taken -->", buffer) end)
    step.picks()
    step.undo(client)
    step.ask(unknown, "none")
    wait("the places are dismissed", function() return has("none of the nearest places answers this", buffer) end)
    step.ended(client)
    step.ask(unknown, "remove")
    wait("it is taken out", function() return step.text(buffer) == original end)
  end

  local function lens()
    if not vim.lsp.codelens.enable then return end -- Neovim 0.11 has another interface
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    local row = step.line_of(buffer, question) - 1
    wait("the line above the question can be run", function()
      return vim.iter(vim.lsp.codelens.get({ bufnr = buffer })):any(function(l) return (l.lens or l).range.start.line == row end)
    end)
    step.put_cursor(question, 5)
    step.picks({ "Answer" })
    vim.lsp.codelens.run()
    wait("and answers", function() return has(sentence, buffer) end)
    step.picks()
    vim.lsp.codelens.enable(false, { bufnr = buffer })
  end

  -- A statement that nothing supports is marked, and has its own colour.
  local function unsupported()
    local row = step.line_of(buffer, sentence)
    local indent = vim.fn.getline(row):match("^ *")
    local words = "It is sold in two strengths."
    vim.api.nvim_buf_set_lines(buffer, row - 1, row - 1, false, { indent .. "- " .. words .. " (not in the passages found)" })
    wait("a sentence that nothing supports is marked", function() return #marks("unsupported-claim") == 1 end)
    wait("and has its colour", function()
      local found = vim.lsp.semantic_tokens.get_at_pos(buffer, row - 1, #indent + 5) or {}
      return vim.iter(found):any(function(t) return t.type == "lacunaUncited" and t.modifiers.unsupported end)
    end)
    vim.api.nvim_buf_set_lines(buffer, row - 1, row, false, {})
  end

  -- A source changes: its citation is marked, and then updated.
  local function stale()
    local file = vim.env.WORKSPACE .. "/kb/guidelines/medicines/apixaban.md"
    local page = vim.fn.readfile(file)
    vim.fn.writefile(vim.split((table.concat(page, "\n"):gsub(vim.pesc(sentence), "The usual dose of apixaban in atrial fibrillation is on another page.")), "\n"), file)
    wait("a citation of what has changed is marked", function() return #marks("stale-citation") > 0 end, 60)
    vim.cmd("Lacuna stale")
    wait("it is in the quickfix list", function() return vim.bo.buftype == "quickfix" and #vim.fn.getqflist() > 0 end, 60)
    local listed = vim.iter(vim.fn.getqflist()):find(function(item) return item.bufnr == buffer end)
    report("with its place", listed ~= nil and listed.lnum == marks("stale-citation")[1].lnum + 1, vim.inspect(listed))
    vim.cmd.cclose()
    vim.api.nvim_set_current_buf(buffer)
    local mark = marks("stale-citation")[1]
    vim.api.nvim_win_set_cursor(0, { mark.lnum + 1, mark.col })
    step.choose("the menu of a citation", "^Answer again from the current sources")
    wait("it is renewed", function() return not has(sentence, buffer) and #marks("stale-citation") == 0 end, 60)
    vim.fn.writefile(page, file)
    wait("the source changes back", function() return #marks("stale-citation") > 0 end, 60)
    step.ask(question, "remove")
    wait("the answer is taken out", function() return step.text(buffer) == original end)
  end

  -- An accepted answer answers the same question again; a removed one does not.
  local function accepting()
    local function kept() return vim.fn.system({ "lacuna", "--workspace", vim.env.WORKSPACE, "history" }):find(sentence:sub(1, 40), 1, true) ~= nil end
    step.ask(question, "answer")
    wait("the question is answered", function() return has(sentence, buffer) end)
    vim.cmd("silent write")
    wait("an answer that is saved as it was written is kept", kept)
    step.ask(question, "remove")
    wait("it is taken out again", function() return not has(sentence, buffer) end)
    vim.cmd("silent write")
    wait("and kept no longer", function() return not kept() end)
    report("the note is as it was", step.text(buffer) == original)
  end

  -- What a note says about itself.
  local function directives()
    local function asked(lines)
      vim.cmd.edit(vim.env.WORKSPACE .. "/directives.md")
      vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
      local symbols
      vim.lsp.buf.document_symbol({ on_list = function(list) symbols = list.items end })
      wait("symbols are listed", function() return symbols ~= nil end)
      vim.cmd("bwipeout!")
      return vim.iter(symbols):filter(function(s) return s.text:find("?", 1, true) ~= nil end):map(function(s) return lines[s.lnum] end):totable()
    end
    local first, second = "How is gout treated?", "How is pain treated?"
    report("two questions", vim.deep_equal(asked({ first, "", second }), { first, second }))
    report("one that is skipped", vim.deep_equal(asked({ "<!-- lacuna: skip -->", first, "", second }), { second }))
    report("one between off and on", vim.deep_equal(asked({ "<!-- lacuna: off -->", first, "", "<!-- lacuna: on -->", second }), { second }))
    vim.cmd.edit(vim.env.WORKSPACE .. "/private.md")
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { "---", "lacuna: private", "---", "", unknown .. "?" })
    step.put_cursor(unknown, 5)
    local hover = step.hover_text("hover in a private note")
    report("it says that nothing is looked up", hover:find("private: nothing is looked up", 1, true) ~= nil, hover)
    vim.api.nvim_buf_set_lines(0, 0, 4, false, {})
    wait("a gap, when it is private no longer", function() return gap_on(unknown, 0) end, 60)
    vim.cmd("bwipeout!")
    vim.api.nvim_set_current_buf(buffer)
  end

  -- Notes in other languages: how a heading is written, and the comment that begins an answer.
  local function formats()
    local languages = {
      { "visit.org", "org", { "* " .. question }, "# lacuna " },
      { "visit.rst", "rst", { question, ("-"):rep(#question) }, ".. lacuna " },
      { "visit.tex", "tex", { "\\documentclass{article}", "\\begin{document}", "\\section{" .. question .. "}", "", "\\end{document}" }, "% lacuna " },
      { "visit.typ", "typst", { "= " .. question }, "// lacuna " },
      { "visit.adoc", "asciidoc", { "== " .. question }, "// lacuna " },
      { "visit.txt", "text", { question }, "(lacuna " },
    }
    for _, language in ipairs(languages) do
      local file, kind, lines, begins = unpack(language)
      local path = vim.env.WORKSPACE .. "/" .. file
      vim.fn.writefile(lines, path)
      vim.cmd.edit(path)
      report(file .. " is " .. kind, vim.bo.filetype == kind, vim.bo.filetype)
      wait("the server runs for it", function() return #vim.lsp.get_clients({ bufnr = 0, name = "lacuna" }) == 1 end)
      step.ask(question, "answer")
      wait("it is answered in its language", function() return has("\n" .. begins, 0) and has(sentence, 0) end)
      step.put_cursor(", line ", 1)
      local note = vim.api.nvim_get_current_buf()
      vim.lsp.buf.definition()
      wait("the citation leads to the source", function() return vim.api.nvim_buf_get_name(0):find("apixaban%.md$") ~= nil end)
      vim.api.nvim_set_current_buf(note)
      step.ask(question, "remove")
      wait("and the answer is taken out", function() return vim.deep_equal(vim.api.nvim_buf_get_lines(note, 0, -1, false), lines) end)
      vim.cmd("bwipeout!")
      vim.fn.delete(path)
      vim.api.nvim_set_current_buf(buffer)
    end
  end

  -- A second folder is added to the same server, and removed.
  local function folders()
    local garden = vim.fs.dirname(vim.env.WORKSPACE) .. "/garden"
    local names = {}
    local watching = vim.api.nvim_create_autocmd("User", { pattern = "LacunaStatus", callback = function(event)
      names = vim.iter(event.data.folders):map(function(f) return f.state == "ready" and vim.fs.basename(f.name) or "" end):totable()
    end })
    vim.lsp.buf.add_workspace_folder(garden)
    wait("a second folder is read", function() return vim.list_contains(names, "garden") and vim.list_contains(names, vim.fs.basename(vim.env.WORKSPACE)) end, 60)
    vim.lsp.buf.remove_workspace_folder(garden)
    wait("and let go", function() return #names == 1 end)
    vim.api.nvim_del_autocmd(watching)
  end

  gaps()
  places()
  lens()
  unsupported()
  stale()
  directives()
  formats()
  folders()
  accepting()
end
