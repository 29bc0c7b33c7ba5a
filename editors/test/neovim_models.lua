-- Tests the user's decisions about models: overruling the gate, stopping an answer, allowing text to be sent to another machine.
return function(step, client, buffer)
  local report, wait = step.report, step.wait
  local question = "What is the usual dose of apixaban in atrial fibrillation?"
  local cautious = "When should metformin be avoided in kidney disease?"
  local config = vim.env.XDG_CONFIG_HOME .. "/lacuna/config.toml"
  local settings = table.concat(vim.fn.readfile(config), "\n") .. "\n"
  local original = step.text(buffer)

  local status = {}
  vim.api.nvim_create_autocmd("User", { pattern = "LacunaStatus", callback = function(event) status = event.data.folders[1] end })

  -- Changes the user's own settings for the duration of the work, without a restart.
  local function configured(name, text, condition, work)
    vim.fn.writefile(vim.split(text, "\n"), config)
    wait(name, condition, 60)
    work()
    vim.fn.writefile(vim.split(settings, "\n"), config)
    wait("the settings are as they were, without a restart", function() return not condition() end, 60)
    report("so is the note", step.text(buffer) == original, step.text(buffer))
  end

  local function other_model(url, model, more)
    return ('[history]\nharvest = true\n[model]\nbase_url = "%s"\nmodel = "%s"\n%s'):format(url, model, more or "")
  end

  local function gate()
    configured("a gate of the settings decides", settings .. '[gate]\npolicy = "never"\n', function() return vim.startswith(status.gate or "", "never") end, function()
      step.ask(question, "system auto")
      wait("it lets the model answer alone", function() return step.has("alone, not from your sources", buffer) end, 60)
      report("and nothing about how that came about", not step.has("Your sources were not searched", buffer))
      local hover = step.hover_text("hover on the question")
      report("it says that, and by what", hover:find("Your sources were not searched", 1, true) and hover:find("never", 1, true) ~= nil, hover)
      step.ask(question, "overrule")
      wait("overruled, the sources are searched", function() return step.text(buffer):find("by scripted from %d source") ~= nil end, 60)
      local labels = vim.fn.glob(vim.env.LACUNA_CACHE_DIR .. "/*/gate-labels.jsonl")
      report("for the gate to learn from", labels ~= "" and table.concat(vim.fn.readfile(labels)):find(question, 1, true) ~= nil, labels)
      step.ask(question, "remove")
      wait("the answer is taken out", function() return not step.has("<!-- lacuna ", buffer) end)
    end)
  end

  -- A model that never replies.
  local function stop()
    local listener, asked, closed = assert(vim.uv.new_tcp()), 0, 0
    assert(listener:bind("127.0.0.1", 0))
    listener:listen(16, function()
      local connection = assert(vim.uv.new_tcp())
      listener:accept(connection)
      connection:read_start(function(_, data)
        if data then asked = asked + 1 else closed = closed + 1 connection:close() end
      end)
    end)
    local url = ("http://127.0.0.1:%d/v1"):format(listener:getsockname().port)
    configured("another model is set", other_model(url, "silent"), function() return status.model == "silent" end, function()
      step.ask(cautious, "system misknow/merged")
      wait("an answer is under way", function() return asked > 0 end, 60)
      wait("the status line says so", function() return require("lacuna").statusline() == "Lacuna: answering" end)
      vim.cmd("Lacuna stop")
      wait("it is stopped, and the model left alone", function() return closed > 0 end)
      wait("the status line says that too", function() return require("lacuna").statusline():find("gap") ~= nil end)
    end)
    listener:close()
  end

  -- A model on another machine, for another folder. The scripted server plays it, as the proxy of every request.
  local function consent()
    local garden = vim.fs.dirname(vim.env.WORKSPACE) .. "/garden"
    local beans, tubers = "How far apart should runner beans stand?", "How deep are potato tubers set?"
    local function audit() return vim.fn.system({ "lacuna", "--workspace", garden, "audit" }) end
    local remote = other_model("http://llm.example/v1", "remote", ('proxy = "%s"\n'):format(vim.env.MODEL_URL:gsub("/v1/?$", "")))
    configured("a model on another machine is set", remote, function() return status.model == "remote" end, function()
      vim.cmd.edit(garden .. "/plan.md")
      local plan = vim.api.nvim_get_current_buf()
      wait("another folder has a server of its own", function()
        local other = vim.lsp.get_clients({ bufnr = plan, name = "lacuna" })[1]
        return other and other.id ~= client.id and other.initialized and vim.fs.basename(other.config.root_dir) == "garden"
      end)
      wait("which has read its sources", function() return require("lacuna").statusline():find("gap") ~= nil end, 60)
      step.ask(beans, "preview")
      wait("a preview shows what would be sent", function() return step.has("llm.example", 0) end)
      report("with the question", step.has(beans, 0), step.text(0))
      local asked, bytes = step.text(0):find("## What is asked", 1, true), step.text(0):find("```json", 1, true)
      report("first as it reads, then byte by byte", asked and bytes and asked < bytes, step.text(0))
      report("and nothing has been sent", not audit():find("llm.example", 1, true), audit())
      vim.api.nvim_set_current_buf(plan)
      local asked = step.picks({ "^Show what would be sent", "^Send", "^Not now" })
      step.ask(beans, "answer")
      wait("consent is asked for twice, and given", function() return #asked == 2 end)
      report("by the name of the other machine", asked[1]:find("llm.example", 1, true) ~= nil, asked[1])
      wait("what would be sent was shown between", function() return step.has(beans, 0) and vim.api.nvim_get_current_buf() ~= plan end)
      wait("the model on the other machine has answered", function() return step.text(plan):find("by remote from %d source") ~= nil end, 60)
      report("what was sent is in the audit", audit():find("llm.example", 1, true) ~= nil)
      vim.api.nvim_set_current_buf(plan)
      vim.cmd("Lacuna forget")
      wait("consent is taken back", function() return step.notified("Nothing more is sent") end)
      step.ask(tubers, "answer")
      wait("consent is asked for again, and refused", function() return #asked == 3 end)
      wait("the sources answer alone", function() return step.has("(kb/potatoes.md#L", plan) end)
      report("what is answered is from this folder's sources", step.has("(kb/runner-beans.md#L", plan), step.text(plan))
      step.picks()
      vim.lsp.get_clients({ bufnr = plan, name = "lacuna" })[1]:stop()
      vim.api.nvim_set_current_buf(buffer)
      vim.api.nvim_buf_delete(plan, { force = true })
    end)
  end

  gate()
  stop()
  consent()
end
