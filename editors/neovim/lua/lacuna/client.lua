-- Sends requests to the running server, and tells the user when one cannot be sent or fails.
local M = {}

function M.say(text, level) vim.notify("Lacuna: " .. text, level or vim.log.levels.INFO) end

function M.warn(text) M.say(text, vim.log.levels.WARN) end

-- here returns the client of the current buffer, or says why there is none.
function M.here()
  local client = vim.lsp.get_clients({ bufnr = 0, name = "lacuna" })[1]
  if not client then M.warn("it does not run in this buffer; :checkhealth lacuna says why") end
  return client
end

-- any returns the client of the current buffer or, failing that, any other: enough for requests about the workspace.
function M.any()
  local client = vim.lsp.get_clients({ bufnr = 0, name = "lacuna" })[1] or vim.lsp.get_clients({ name = "lacuna" })[1]
  if not client then M.warn("it does not run; open a note, or see :checkhealth lacuna") end
  return client
end

-- execute runs a command of the server. It passes the result to reply, and shows an error to the user.
function M.execute(client, command, argument, reply)
  client:exec_cmd({ title = command, command = command, arguments = { argument } }, { bufnr = vim.api.nvim_get_current_buf() },
    function(problem, result)
      if problem then M.warn(problem.message) elseif reply then reply(result) end
    end)
end

local function command_of(action) return type(action.command) == "table" and action.command or action end

-- offered asks for the code actions at the cursor and passes on the commands that wanted accepts; if there is none, it says why.
function M.offered(client, wanted, found)
  local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
  params.context = { diagnostics = {}, triggerKind = 1 }
  client:request("textDocument/codeAction", params, function(problem, actions)
    if problem then return M.warn(problem.message) end
    local commands, refused = {}, nil
    for _, action in ipairs(actions or {}) do
      local command = command_of(action)
      if action.disabled then
        refused = refused or action.disabled.reason
      elseif type(command.arguments) == "table" and wanted(command.command, command.arguments[1] or {}) then
        commands[#commands + 1] = { title = action.title, command = command.command, argument = command.arguments[1] }
      end
    end
    if #commands > 0 then return found(commands) end
    M.warn(refused or "nothing of the kind can be done here; put the cursor on a question or its answer")
  end, vim.api.nvim_get_current_buf())
end

return M
